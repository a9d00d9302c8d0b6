/** Buffers that are kept for use again at most; a driver holds about three chunks of a session at a time. */
const KEPT_BUFFERS = 4;

/** One buffer on loan from a `FramePool`. */
export interface Loan<Data> {
  /** The buffer; what it holds is left over from before. */
  readonly data: Data;
  /** Gives it back; the first call counts. */
  readonly release: () => void;
}

/** Frame buffers of one length that are used again after, and only after, they were released. */
export class FramePool<Data> {
  readonly #allocate: () => Data;
  #free: Data[] = [];
  #isClosed = false;

  /** `allocate` makes a buffer when none is free. */
  constructor(allocate: () => Data) {
    this.#allocate = allocate;
  }

  /** How many buffers lie ready. */
  get freeCount(): number {
    return this.#free.length;
  }

  /** Lends a buffer. */
  take(): Loan<Data> {
    const data = this.#free.pop() ?? this.#allocate();
    let isOut = true;
    return {
      data,
      release: () => {
        if (!isOut) return;
        isOut = false;
        if (!this.#isClosed && this.#free.length < KEPT_BUFFERS) this.#free.push(data);
      },
    };
  }

  /** Frees what lies ready; buffers that come back later are not kept. */
  close(): void {
    this.#isClosed = true;
    this.#free = [];
  }
}
