import { channelsOf, PIXEL_FORMATS } from "../../model/video-chunk.ts";
import type { SessionDescription } from "../../model/session-description.ts";

/** How many released arrays a session keeps for its next steps. */
const KEPT_ARRAYS = 4;

/** Arrays for frames, all zero; one that has been released is used again. */
export class FramePool {
  readonly #video: SessionDescription;
  readonly #free: (Uint8Array | Float32Array)[] = [];

  /** `video` gives size and format. */
  constructor(video: SessionDescription) {
    this.#video = video;
  }

  /** An array for `frameCount` frames. */
  take(frameCount: number): Uint8Array | Float32Array {
    const { width, height, format } = this.#video;
    const length = width * height * channelsOf(format) * frameCount;
    const index = this.#free.findIndex((array) => array.length === length);
    const [free] = index < 0 ? [] : this.#free.splice(index, 1);
    if (free !== undefined) return free.fill(0);
    return format === PIXEL_FORMATS.rgbf32 ? new Float32Array(length) : new Uint8Array(length);
  }

  /** Takes an array back; nobody may read it any longer. */
  giveBack(array: Uint8Array | Float32Array): void {
    if (this.#free.length === KEPT_ARRAYS) this.#free.shift();
    this.#free.push(array);
  }
}
