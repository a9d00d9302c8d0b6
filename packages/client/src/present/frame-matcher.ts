import type { FrameMetadata } from "@dreamloop/protocol";

/** Frames whose metadata is kept until they are shown. */
const MAX_WAITING = 256;

/** Finds the metadata of the frame that is shown by its RTP timestamp; both may come first. Pure. */
export class FrameMatcher {
  readonly #waiting = new Map<number, FrameMetadata>();

  /** Metadata came in. */
  add(metadata: FrameMetadata): void {
    const key = metadata.rtpTimestamp >>> 0;
    this.#waiting.delete(key);
    this.#waiting.set(key, metadata);
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MAX_WAITING) break;
      this.#waiting.delete(oldest);
    }
  }

  /** The metadata of the frame with this timestamp; all older ones are forgotten. `undefined` when it was lost or is not there yet. */
  take(rtpTimestamp: number): FrameMetadata | undefined {
    const key = rtpTimestamp >>> 0;
    const found = this.#waiting.get(key);
    if (found === undefined) return undefined;
    for (const older of this.#waiting.keys()) {
      this.#waiting.delete(older);
      if (older === key) break;
    }
    return found;
  }

  /** Nothing is waited for any more. */
  clear(): void {
    this.#waiting.clear();
  }
}
