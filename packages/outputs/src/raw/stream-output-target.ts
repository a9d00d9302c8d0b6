import type { Writable } from "node:stream";
import { outputArtifact, type SessionDescription } from "@dreamloop/core";
import { FrameTarget, type FrameSink } from "../target/frame-target.ts";
import { outputError } from "../target/output-error.ts";
import { writeToStream } from "../target/write-to-stream.ts";
import type { VideoRange } from "../color/i420.ts";
import { rawFrameCoder, RAW_FORMATS, type RawFormat } from "./raw-format.ts";

/** What `StreamOutputTarget` takes. */
export interface StreamOutputTargetOptions {
  /** Where the bytes go; it stays open, since whoever made it closes it. Default: standard output. */
  readonly stream?: Writable;
  /** What the bytes are; default `y4m`, which programs can read without being told size and rate. */
  readonly format?: RawFormat;
  /** Range of the planes of Y4M; default `limited`. */
  readonly range?: VideoRange;
}

/** Writes uncompressed frames to a stream, such as the standard output of a process that feeds another one. */
export class StreamOutputTarget extends FrameTarget {
  /** Name of the target in errors and artifacts. */
  override readonly name = "pipe";
  readonly #options: StreamOutputTargetOptions;

  /** Nothing is written before `open`. */
  constructor(options: StreamOutputTargetOptions = {}) {
    super();
    this.#options = options;
  }

  protected override async start(description: SessionDescription): Promise<FrameSink> {
    const { stream = process.stdout, format = RAW_FORMATS.y4m, range } = this.#options;
    const coder = rawFrameCoder(format, description, range);
    // Without a listener an error of the stream, such as EPIPE, would end the process.
    const keepAlive = () => undefined;
    stream.on("error", keepAlive);
    let bytes = 0;
    const send = (part: Uint8Array) => {
      bytes += part.byteLength;
      return writeToStream(stream, part).catch((cause: unknown) => {
        throw outputError({ target: this.name, path: "-", action: "write to", cause });
      });
    };
    let isHeaderWritten = coder.header.byteLength === 0;
    const writeHeader = async () => {
      if (isHeaderWritten) return;
      isHeaderWritten = true;
      await send(coder.header);
    };
    return {
      write: async ({ rgb }) => {
        await writeHeader();
        await send(coder.encode(rgb));
      },
      finish: async ({ frameCount, droppedFrames }) => {
        await writeHeader();
        stream.off("error", keepAlive);
        const { width, height } = coder;
        const metadata = {
          frameCount,
          droppedFrames,
          width,
          height,
          framesPerSecond: description.framesPerSecond,
          bytes,
        };
        return [outputArtifact({ kind: coder.kind, uri: "-", metadata })];
      },
      // The listener stays: an error that the system reports late must not end the process.
      discard: async () => undefined,
    };
  }
}
