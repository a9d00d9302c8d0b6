/** Reads single bits and the codes of H.264 (ITU-T H.264, 9.1), most significant bit first. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #position = 0;

  /** Reads from the start of `bytes`. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Bits read so far. */
  get position(): number {
    return this.#position;
  }

  /** One bit as a flag. */
  flag(): boolean {
    return this.bits(1) === 1;
  }

  /** An unsigned number of `count` bits, at most 32. Throws `RangeError` at the end. */
  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index += 1) {
      const byte = this.#bytes[this.#position >> 3];
      if (byte === undefined) throw new RangeError("the parameter set ends early");
      value = value * 2 + ((byte >> (7 - (this.#position & 7))) & 1);
      this.#position += 1;
    }
    return value;
  }

  /** An unsigned Exp-Golomb code, `ue(v)`. */
  unsigned(): number {
    let zeros = 0;
    while (!this.flag()) {
      zeros += 1;
      if (zeros > 32) throw new RangeError("the parameter set has a code that is too long");
    }
    return 2 ** zeros - 1 + this.bits(zeros);
  }

  /** A signed Exp-Golomb code, `se(v)`. */
  signed(): number {
    const code = this.unsigned();
    return code % 2 === 1 ? (code + 1) / 2 : 0 - code / 2;
  }
}

/** Writes what `BitReader` reads. */
export class BitWriter {
  readonly #bits: number[] = [];

  /** A flag as one bit. */
  flag(value: boolean): void {
    this.#bits.push(value ? 1 : 0);
  }

  /** An unsigned number in `count` bits, at most 32. */
  bits(value: number, count: number): void {
    for (let index = count - 1; index >= 0; index -= 1) this.#bits.push(Math.floor(value / 2 ** index) % 2);
  }

  /** An unsigned Exp-Golomb code. */
  unsigned(value: number): void {
    const length = Math.floor(Math.log2(value + 1));
    this.bits(0, length);
    this.bits(value + 1, length + 1);
  }

  /** Repeats bits `from` to `to` of `bytes`. */
  copy(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) this.#bits.push((bytes[at >> 3] >> (7 - (at & 7))) & 1);
  }

  /** Ends with the stop bit and fills up the last byte with zeros (7.3.2.11). */
  finish(): Uint8Array {
    const bits = [...this.#bits, 1];
    const bytes = new Uint8Array(Math.ceil(bits.length / 8));
    bits.forEach((bit, index) => {
      bytes[index >> 3] = bytes[index >> 3] | (bit << (7 - (index & 7)));
    });
    return bytes;
  }
}
