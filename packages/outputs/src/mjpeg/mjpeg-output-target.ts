import { outputArtifact, type SessionDescription } from "@dreamloop/core";
import { BoundedWork } from "../target/bounded-work.ts";
import { DestinationFile } from "../target/destination-file.ts";
import { NODE_FILE_SYSTEM, type FileSystem } from "../target/file-system.ts";
import { FrameTarget, type FrameSink } from "../target/frame-target.ts";
import { DEFAULT_MJPEG_QUALITY, mjpegEncoder } from "./mjpeg-stream.ts";

/** What `MjpegOutputTarget` takes. */
export interface MjpegOutputTargetOptions {
  /** The file. */
  readonly path: string;
  /** Quality of the pictures, 1 to 100; default 90. */
  readonly quality?: number;
  /** Where the file is; default Node's file system. */
  readonly fileSystem?: FileSystem;
}

/** Pictures that are compressed at the same time. */
const PARALLELISM = 2;

/**
 * Writes JPEG pictures one after the other into one file. Such a file has no place for the rate; it is in the artifact's metadata, and
 * players have to be told (`ffplay -framerate 30 x.mjpeg`).
 */
export class MjpegOutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "mjpeg";
  readonly #options: MjpegOutputTargetOptions;

  /** Nothing is touched before `open`. */
  constructor(options: MjpegOutputTargetOptions) {
    super();
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const { path, quality = DEFAULT_MJPEG_QUALITY, fileSystem = NODE_FILE_SYSTEM } = this.#options;
    const { width, height, framesPerSecond } = description;
    const encode = await mjpegEncoder({ width, height, quality });
    const file = await DestinationFile.open({
      target: this.name,
      path,
      isOwnKind: (head) => head[0] === 0xff && head[1] === 0xd8,
      kindName: "a file of JPEG pictures",
      fileSystem,
    });
    const work = new BoundedWork(PARALLELISM);
    let written = Promise.resolve();
    return {
      write: ({ rgb }) => {
        const copy = Uint8Array.from(rgb);
        return work.start(async () => {
          const before = written;
          const encoded = encode(copy);
          // Pictures are compressed side by side and appended in order.
          written = Promise.all([encoded, before]).then(([jpeg]) => file.append(jpeg));
          await written;
        });
      },
      finish: async (summary) => {
        await work.drain();
        await file.commit();
        const metadata = { ...summary, width, height, framesPerSecond, quality, bytes: file.size };
        return [outputArtifact({ kind: "video/x-motion-jpeg", uri: path, metadata })];
      },
      discard: async () => {
        await work.settle();
        await file.discard();
      },
    };
  }
}
