import { join, resolve } from "node:path";
import { outputArtifact, type OutputArtifact, type SessionDescription } from "@dreamloop/core";
import { BoundedWork } from "../target/bounded-work.ts";
import { DestinationFile } from "../target/destination-file.ts";
import { NODE_FILE_SYSTEM, type FileSystem } from "../target/file-system.ts";
import { FrameTarget, type FrameSink, type RunSummary } from "../target/frame-target.ts";
import { outputError, refuseOutput, systemErrorCode } from "../target/output-error.ts";
import { IMAGE_FORMATS, imageEncoder, type ImageFormat } from "./image-encoder.ts";

/** What `ImagesOutputTarget` takes. */
export interface ImagesOutputTargetOptions {
  /** The folder; made when it does not exist. */
  readonly path: string;
  /** Kind of picture; default `png`. */
  readonly format?: ImageFormat;
  /** Quality of JPEG, 1 to 100; default 90. */
  readonly quality?: number;
  /** Effort of PNG compression, 0 to 9; default 1. */
  readonly compressionLevel?: number;
  /** Pictures that are compressed at the same time; default 2. */
  readonly parallelism?: number;
  /** Where the folder is; default Node's file system. */
  readonly fileSystem?: FileSystem;
}

/** Default of `ImagesOutputTargetOptions.parallelism`. */
export const DEFAULT_IMAGE_PARALLELISM = 2;

const EXTENSIONS: Readonly<Record<ImageFormat, string>> = { png: "png", jpeg: "jpg" };

/** File name of a frame: `frame-000000.png`, with more digits only beyond a million frames. */
export function imageFileName(frameNumber: number, format: ImageFormat): string {
  return `frame-${String(frameNumber).padStart(6, "0")}.${EXTENSIONS[format]}`;
}

/**
 * Writes each frame as a picture into a folder. Pictures of an earlier run (`frame-` and digits, same extension) are removed when a
 * run starts, so that two runs never mix; other files are left alone. After a fault the pictures that are complete stay.
 */
export class ImagesOutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "images";
  readonly #options: ImagesOutputTargetOptions;

  /** Nothing is touched before `open`. */
  constructor(options: ImagesOutputTargetOptions) {
    super();
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const { path, format = IMAGE_FORMATS.png, fileSystem = NODE_FILE_SYSTEM } = this.#options;
    const encode = await imageEncoder({ ...this.#options, ...description, format });
    await this.#prepareFolder(fileSystem, format);
    const work = new BoundedWork(this.#options.parallelism ?? DEFAULT_IMAGE_PARALLELISM);
    const writePicture = async (rgb: Uint8Array, frameNumber: number) => {
      const picture = join(path, imageFileName(frameNumber, format));
      const bytes = await encode(rgb).catch((cause: unknown) => {
        throw outputError({ target: this.name, path: picture, action: "compress", cause });
      });
      const file = await DestinationFile.open({
        target: this.name,
        path: picture,
        isOwnKind: () => true,
        kindName: "a picture",
        fileSystem,
        isDurable: false,
      });
      try {
        await file.append(bytes);
        await file.commit();
      } catch (error) {
        await file.discard();
        throw error;
      }
    };
    return {
      write: ({ rgb, frameNumber }) => {
        // The frame's memory is not ours once this settles, and compressing takes longer.
        const copy = Uint8Array.from(rgb);
        return work.start(() => writePicture(copy, frameNumber));
      },
      finish: async (summary) => {
        await work.drain();
        return [this.#artifact(summary, description, format)];
      },
      discard: () => work.settle(),
    };
  }

  #artifact(summary: RunSummary, description: SessionDescription, format: ImageFormat): OutputArtifact {
    const { width, height, framesPerSecond } = description;
    const metadata = { ...summary, width, height, framesPerSecond, pattern: `frame-%06d.${EXTENSIONS[format]}` };
    return outputArtifact({ kind: `image/${format}`, uri: this.#options.path, metadata });
  }

  async #prepareFolder(fileSystem: FileSystem, format: ImageFormat): Promise<void> {
    const { path } = this.#options;
    try {
      const folder = resolve(path);
      const facts = await fileSystem.stat(folder).catch((error: unknown) => {
        if (systemErrorCode(error) === "ENOENT") return undefined;
        throw error;
      });
      if (facts !== undefined && !facts.isDirectory()) {
        throw refuseOutput(this.name, path, "exists and is not a folder; choose another name");
      }
      await fileSystem.mkdir(folder, { recursive: true });
      // Whether pictures can be written shows here, not after the first step.
      const probe = { target: this.name, path: join(path, "frame"), isOwnKind: () => true, kindName: "", fileSystem };
      await (await DestinationFile.open(probe)).discard();
      const ours = new RegExp(`^frame-\\d{6,}\\.${EXTENSIONS[format]}$`);
      for (const name of await fileSystem.readdir(folder)) {
        const old = join(folder, name);
        if (ours.test(name) && (await fileSystem.stat(old)).isFile()) await fileSystem.unlink(old);
      }
    } catch (cause) {
      throw outputError({ target: this.name, path, action: "prepare", cause });
    }
  }
}
