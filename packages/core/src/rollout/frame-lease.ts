import { asStepError } from "./step-contract.ts";
import type { VideoChunk } from "../model/video-chunk.ts";

/**
 * Counts who still reads a chunk. Starts with one holder, the driver; when the last one lets go, the chunk's `release` is called once,
 * so that the session may use the memory again.
 */
export class FrameLease {
  readonly #chunk: VideoChunk | undefined;
  #holders = 1;

  /** `chunk` may be absent: a step without frames has nothing to release. */
  constructor(chunk: VideoChunk | undefined) {
    this.#chunk = chunk;
  }

  /** Adds a holder and gives the function by which it lets go; calling that again does nothing. */
  hold(): () => void {
    this.#holders += 1;
    return this.#once();
  }

  /** The driver's own letting go. */
  readonly release = this.#once();

  /** The driver's own letting go where an error is on its way: what the chunk's `release` throws would hide it. */
  releaseQuietly(): void {
    try {
      this.release();
    } catch {
      // The first error says more.
    }
  }

  #once(): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holders -= 1;
      if (this.#holders === 0) this.#free();
    };
  }

  #free(): void {
    try {
      this.#chunk?.release?.();
    } catch (error) {
      throw asStepError(error, "VideoChunk.release()");
    }
  }
}
