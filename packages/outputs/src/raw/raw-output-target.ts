import { outputArtifact, type SessionDescription } from "@dreamloop/core";
import { DestinationFile } from "../target/destination-file.ts";
import { NODE_FILE_SYSTEM, type FileSystem } from "../target/file-system.ts";
import { FrameTarget, type FrameSink } from "../target/frame-target.ts";
import type { VideoRange } from "../color/i420.ts";
import { rawFrameCoder, RAW_FORMATS, type RawFormat } from "./raw-format.ts";

/** What `RawOutputTarget` takes. */
export interface RawOutputTargetOptions {
  /** The file; a named pipe or device is written directly. */
  readonly path: string;
  /** Kind of the file; default by its extension, `rgb` unless that is `.y4m`. */
  readonly format?: RawFormat;
  /** Range of the planes of a Y4M file; default `limited`. */
  readonly range?: VideoRange;
  /** Where the file is; default Node's file system. */
  readonly fileSystem?: FileSystem;
}

/** Writes uncompressed frames to a file: packed RGB8 (`.rgb`) or YUV4MPEG2 (`.y4m`, BT.709, 4:2:0, left-sited chroma). */
export class RawOutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "raw";
  readonly #options: RawOutputTargetOptions;

  /** Nothing is touched before `open`. */
  constructor(options: RawOutputTargetOptions) {
    super();
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const { path, range, fileSystem = NODE_FILE_SYSTEM } = this.#options;
    const format = this.#options.format ?? (path.toLowerCase().endsWith(".y4m") ? RAW_FORMATS.y4m : RAW_FORMATS.rgb);
    const coder = rawFrameCoder(format, description, range);
    const file = await DestinationFile.open({
      target: this.name,
      path,
      isOwnKind: (head) => format === RAW_FORMATS.rgb || startsWith(head, "YUV4MPEG2"),
      kindName: "a raw video of the same kind",
      fileSystem,
    });
    let isHeaderWritten = coder.header.byteLength === 0;
    const writeHeader = async () => {
      if (isHeaderWritten) return;
      isHeaderWritten = true;
      await file.append(coder.header);
    };
    return {
      write: async ({ rgb }) => {
        await writeHeader();
        await file.append(coder.encode(rgb));
      },
      finish: async ({ frameCount, droppedFrames }) => {
        await writeHeader();
        await file.commit();
        const metadata = {
          frameCount,
          droppedFrames,
          width: coder.width,
          height: coder.height,
          framesPerSecond: description.framesPerSecond,
          bytes: file.size,
        };
        return [outputArtifact({ kind: coder.kind, uri: path, metadata })];
      },
      discard: () => file.discard(),
    };
  }
}

function startsWith(head: Uint8Array, text: string): boolean {
  return Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1").startsWith(text);
}
