import type { MessagePort } from "node:worker_threads";
import { hostedChunk, type HostedChunk } from "./hosted-chunk.ts";
import type { FromChunkSender, ToChunkSender } from "./messages.ts";

/** What `ChunkReceiver` takes. */
export interface ChunkReceiverOptions {
  /** The other end of the port that was given to `WorldHost.startSession` as `chunkPort`. */
  readonly port: MessagePort;
  /** Gets every chunk. */
  readonly onChunk: (chunk: HostedChunk) => void;
  /** A reset took effect: what belongs to older generations is void. */
  readonly onGeneration?: (generation: number) => void;
  /** The session has ended. */
  readonly onEnd?: () => void;
}

/** Takes the chunks of a session in a thread of its own, so that pixels never pass through the main thread. */
export class ChunkReceiver {
  readonly #port: MessagePort;
  #open = true;

  /** Listens at once. */
  constructor(options: ChunkReceiverOptions) {
    const { port, onChunk, onGeneration, onEnd } = options;
    this.#port = port;
    port.on("message", (message: FromChunkSender) => {
      if (message.type === "generation") onGeneration?.(message.generation);
      else onChunk(hostedChunk(message, (pixels) => this.#giveBack(pixels)));
    });
    port.on("close", () => {
      this.#open = false;
      onEnd?.();
    });
  }

  /** Takes no more; the session goes on and drops its chunks. Idempotent. */
  close(): void {
    this.#port.close();
  }

  #giveBack(pixels: ArrayBuffer): void {
    if (this.#open) this.#port.postMessage({ type: "chunk_done", pixels } satisfies ToChunkSender, [pixels]);
  }
}
