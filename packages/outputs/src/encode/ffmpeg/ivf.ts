import type { DecodeOptions } from "../video-encoder.ts";

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

const HEADER_BYTES = 32;

/** An IVF file of VP8 frames. */
export function writeIvf({ frames, width, height }: DecodeOptions): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("DKIF", 0, "latin1");
  header.writeUInt16LE(HEADER_BYTES, 6);
  header.write("VP80", 8, "latin1");
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header.writeUInt32LE(25, 16);
  header.writeUInt32LE(1, 20);
  header.writeUInt32LE(frames.length, 24);
  const parts = frames.flatMap(({ data }, index) => {
    const head = Buffer.alloc(12);
    head.writeUInt32LE(data.byteLength, 0);
    head.writeUInt32LE(index, 4);
    return [head, data];
  });
  return Buffer.concat([header, ...parts]);
}
