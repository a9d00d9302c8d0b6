const FRAME_HEADER_BYTES = 12;

/** Takes frames out of an IVF stream (a header whose length it tells, then each frame preceded by length and time) as soon as each is complete. */
export class IvfReader {
  readonly #onFrame: (frame: Uint8Array) => void;
  #pending = Buffer.alloc(0);
  #isPastHeader = false;

  /** `onFrame` gets each frame, memory of its own. */
  constructor(onFrame: (frame: Uint8Array) => void) {
    this.#onFrame = onFrame;
  }

  /** Takes the next piece. Throws `RangeError` for what is no IVF. */
  push(piece: Uint8Array): void {
    this.#pending = this.#pending.byteLength === 0 ? Buffer.from(piece) : Buffer.concat([this.#pending, piece]);
    if (!this.#isPastHeader) {
      if (this.#pending.byteLength < 8) return;
      if (this.#pending.toString("latin1", 0, 4) !== "DKIF") throw new RangeError("the stream is no IVF");
      const headerBytes = this.#pending.readUInt16LE(6);
      if (this.#pending.byteLength < headerBytes) return;
      this.#pending = this.#pending.subarray(headerBytes);
      this.#isPastHeader = true;
    }
    while (this.#pending.byteLength >= FRAME_HEADER_BYTES) {
      const frameBytes = this.#pending.readUInt32LE(0);
      if (this.#pending.byteLength < FRAME_HEADER_BYTES + frameBytes) return;
      this.#onFrame(Uint8Array.from(this.#pending.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + frameBytes)));
      this.#pending = this.#pending.subarray(FRAME_HEADER_BYTES + frameBytes);
    }
  }
}
