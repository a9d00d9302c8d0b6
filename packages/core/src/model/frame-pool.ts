import { PIXEL_FORMATS, type PixelData, type PixelFormat } from "./video-chunk.ts";

/** Buffers that are kept for use again at most; a driver holds about three chunks of a session at a time. */
const KEPT_BUFFERS = 4;

/** One buffer on loan from a `FramePool`. */
export interface FrameLoan {
  /** The buffer; what it holds is left over from before. */
  readonly data: PixelData;
  /** Gives it back; the first call counts. Nobody may read the buffer afterwards. */
  readonly release: () => void;
}

/** Frame buffers of one pixel format that are used again after, and only after, they were released. */
export class FramePool {
  readonly #format: PixelFormat;
  #free: PixelData[] = [];
  #isClosed = false;

  /** `format` says what a buffer is made of. */
  constructor(format: PixelFormat) {
    this.#format = format;
  }

  /** How many buffers lie ready. */
  get freeCount(): number {
    return this.#free.length;
  }

  /** Lends a buffer of `length` values. */
  take(length: number): FrameLoan {
    const index = this.#free.findIndex((data) => data.length === length);
    const [free] = index < 0 ? [] : this.#free.splice(index, 1);
    const data = free ?? (this.#format === PIXEL_FORMATS.rgbf32 ? new Float32Array(length) : new Uint8Array(length));
    let isOut = true;
    return {
      data,
      release: () => {
        if (!isOut) return;
        isOut = false;
        if (this.#isClosed) return;
        if (this.#free.length === KEPT_BUFFERS) this.#free.shift();
        this.#free.push(data);
      },
    };
  }

  /** Frees what lies ready; buffers that come back later are not kept. */
  close(): void {
    this.#isClosed = true;
    this.#free = [];
  }
}
