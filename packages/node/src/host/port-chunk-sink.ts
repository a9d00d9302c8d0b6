import type { MessagePort } from "node:worker_threads";
import type { ChunkSink, RealtimeStatus, SessionDescription, StepResult, VideoChunk } from "@dreamloop/core";
import type { FromChunkSender } from "./messages.ts";

/** Chunks that may be on their way to the receiver, default. */
export const DEFAULT_MAX_CHUNKS_IN_FLIGHT = 4;

/** What a chunk is told with. */
export interface PortChunkSinkOptions {
  /** Where chunks go. */
  readonly port: MessagePort;
  /** Chunks that may be on their way; beyond that new ones are dropped and counted. */
  readonly maxChunksInFlight?: number;
  /** Counters of now, sent along. */
  readonly status: () => RealtimeStatus;
  /** Seconds that the last model step took. */
  readonly modelSeconds: () => number;
  /** When the input of the last step was read, in seconds of the process clock. */
  readonly readSeconds: () => number;
}

/**
 * Sends chunks to another thread: one counted copy of the pixels in a buffer that travels there and comes back. A receiver that is slow or
 * dead holds at most `maxChunksInFlight` buffers.
 */
export class PortChunkSink implements ChunkSink {
  readonly #options: PortChunkSinkOptions;
  readonly #free: ArrayBuffer[] = [];
  #inFlight = 0;
  #droppedChunks = 0;
  #closed = false;

  /** The port stays open when the sink is closed; who made it closes it. */
  constructor(options: PortChunkSinkOptions) {
    this.#options = options;
  }

  /** Chunks that were dropped because the receiver was too slow. */
  get droppedChunks(): number {
    return this.#droppedChunks;
  }

  /** Nothing to prepare: the receiver knows the description. */
  open(_description: SessionDescription): void {}

  /** Copies the pixels, releases the chunk at once and sends the copy. */
  push(result: StepResult, firstDueSeconds: number, release: () => void): void {
    const { output, outputWindow, ...rest } = result;
    if (output === undefined || this.#closed) {
      release();
      return;
    }
    if (this.#inFlight >= (this.#options.maxChunksInFlight ?? DEFAULT_MAX_CHUNKS_IN_FLIGHT)) {
      this.#droppedChunks += 1;
      release();
      return;
    }
    const copy = this.#copy(output);
    release();
    this.#inFlight += 1;
    const { release: _release, ...chunk } = output;
    const message: FromChunkSender = {
      type: "chunk",
      result: {
        ...rest,
        output: { ...chunk, data: copy },
        ...(outputWindow === undefined
          ? {}
          : { outputWindow: { startSeconds: outputWindow.startSeconds, endSeconds: outputWindow.endSeconds } }),
      },
      firstDueSeconds,
      readSeconds: this.#options.readSeconds(),
      status: this.#options.status(),
      droppedChunks: this.#droppedChunks,
      modelSeconds: this.#options.modelSeconds(),
    };
    this.#options.port.postMessage(message, [copy.buffer as ArrayBuffer]);
  }

  /** Tells the receiver that older generations are void. */
  beginGeneration(generation: number): void {
    const message: FromChunkSender = { type: "generation", generation };
    this.#options.port.postMessage(message);
  }

  /** Takes a buffer back that the receiver is done with. */
  giveBack(pixels: ArrayBuffer): void {
    this.#inFlight = Math.max(0, this.#inFlight - 1);
    if (!this.#closed && this.#free.length < DEFAULT_MAX_CHUNKS_IN_FLIGHT) this.#free.push(pixels);
  }

  /** Sends no more. */
  close(): readonly [] {
    this.#closed = true;
    this.#free.length = 0;
    return [];
  }

  #copy(chunk: VideoChunk): VideoChunk["data"] {
    const { data } = chunk;
    const at = this.#free.findIndex((buffer) => buffer.byteLength === data.byteLength);
    const buffer = at < 0 ? new ArrayBuffer(data.byteLength) : this.#free.splice(at, 1)[0];
    const copy = data instanceof Float32Array ? new Float32Array(buffer) : new Uint8Array(buffer);
    copy.set(data);
    return copy;
  }
}
