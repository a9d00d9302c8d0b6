import { EncodedPacket, EncodedVideoPacketSource, Mp4OutputFormat, Output, StreamTarget } from "mediabunny";
import type { EncodedFrame, VideoEncoderSettings } from "../encode/video-encoder.ts";
import type { DestinationFile } from "../target/destination-file.ts";
import { VIDEO_TICKS_PER_SECOND } from "../target/frame-timeline.ts";
import { moveIndexToFront } from "./fast-start.ts";

/** Bytes that are gathered before they are written. */
const WRITE_BYTES = 1024 * 1024;

/**
 * Puts H.264 frames into an MP4 file as they come. What stays in memory for each frame is its line in the index, about 160 bytes; the
 * index is written at the end and then moved to the front.
 */
export class Mp4Muxer {
  readonly #file: DestinationFile;
  readonly #durationTicks: number;
  readonly #source = new EncodedVideoPacketSource("avc");
  readonly #output: Output;
  #fault: { readonly error: unknown } | undefined;
  #tail: Promise<void> = Promise.resolve();
  #frameCount = 0;

  /** `framesPerSecond` gives the duration of the last frame. */
  constructor(file: DestinationFile, framesPerSecond: number) {
    this.#file = file;
    this.#durationTicks = Math.max(1, Math.round(VIDEO_TICKS_PER_SECOND / framesPerSecond));
    const sink = new WritableStream<{ data: Uint8Array; position: number }>({
      write: async ({ data, position }) => {
        await this.#guard(() => file.writeAt(data, position));
      },
    });
    this.#output = new Output({
      format: new Mp4OutputFormat({ fastStart: false }),
      target: new StreamTarget(sink, { chunked: true, chunkSize: WRITE_BYTES }),
    });
    // What the muxer calls the rate is for it the number of ticks in a second.
    this.#output.addVideoTrack(this.#source, { frameRate: VIDEO_TICKS_PER_SECOND });
  }

  /** Frames taken so far. */
  get frameCount(): number {
    return this.#frameCount;
  }

  /** Starts the file. */
  start(): Promise<void> {
    return this.#guard(() => this.#output.start());
  }

  /** Takes a frame whose timestamp is in ticks; `drain` waits for it. */
  add(frame: EncodedFrame, settings: VideoEncoderSettings): void {
    const packet = new EncodedPacket(
      frame.data,
      frame.isKeyFrame ? "key" : "delta",
      frame.timestamp / VIDEO_TICKS_PER_SECOND,
      this.#durationTicks / VIDEO_TICKS_PER_SECOND,
    );
    const decoderConfig = {
      codec: settings.codecString,
      codedWidth: settings.width,
      codedHeight: settings.height,
      colorSpace: {
        primaries: "bt709",
        transfer: "bt709",
        matrix: "bt709",
        fullRange: settings.range === "full",
      },
    } as const;
    const metadata = this.#frameCount === 0 ? { decoderConfig } : undefined;
    this.#frameCount += 1;
    this.#tail = this.#tail.then(() => this.#guard(() => this.#source.add(packet, metadata))).catch(() => undefined);
  }

  /** Waits until every frame taken is in the file or its buffer; rejects with the first fault. */
  async drain(): Promise<void> {
    await this.#tail;
    if (this.#fault !== undefined) throw this.#fault.error;
  }

  /** Writes the index and moves it to the front. */
  async finish(): Promise<void> {
    await this.drain();
    await this.#guard(() => this.#output.finalize());
    await moveIndexToFront(this.#file);
  }

  /** Gives up; never throws. */
  async cancel(): Promise<void> {
    await this.#tail;
    await this.#output.cancel().catch(() => undefined);
  }

  /** The file's own errors pass through the muxer's streams; the first one is what counts. */
  async #guard(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#fault ??= { error };
      throw this.#fault.error;
    }
  }
}
