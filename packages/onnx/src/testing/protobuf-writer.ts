/** Builds one protobuf message field by field; fields stand in the order in which they are written. */
export class ProtobufWriter {
  readonly #bytes: number[] = [];

  /** Writes an integer field; negative values take ten bytes, as the format wants it. */
  integer(number: number, value: number | bigint): this {
    this.#varint(BigInt(number * 8));
    this.#varint(BigInt.asUintN(64, BigInt(value)));
    return this;
  }

  /** Writes a 32-bit float field. */
  float(number: number, value: number): this {
    this.#varint(BigInt(number * 8 + 5));
    this.#bytes.push(...new Uint8Array(new Float32Array([value]).buffer));
    return this;
  }

  /** Writes bytes, a string or a nested message. */
  bytes(number: number, value: Uint8Array | string | ProtobufWriter): this {
    const content = value instanceof ProtobufWriter ? value.finish() : asBytes(value);
    this.#varint(BigInt(number * 8 + 2));
    this.#varint(BigInt(content.length));
    for (const byte of content) this.#bytes.push(byte);
    return this;
  }

  /** Writes repeated integers, packed. */
  packed(number: number, values: readonly (number | bigint)[]): this {
    const inner = new ProtobufWriter();
    for (const value of values) inner.#varint(BigInt.asUintN(64, BigInt(value)));
    return this.bytes(number, inner);
  }

  /** The message so far. */
  finish(): Uint8Array {
    return Uint8Array.from(this.#bytes);
  }

  #varint(value: bigint): void {
    let rest = value;
    while (rest >= 0x80n) {
      this.#bytes.push(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    this.#bytes.push(Number(rest));
  }
}

function asBytes(value: Uint8Array | string): Uint8Array {
  return typeof value === "string" ? new TextEncoder().encode(value) : value;
}
