import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** One field of a protobuf message in wire format (https://protobuf.dev/programming-guides/encoding/). */
export interface ProtobufField {
  /** Number of the field. */
  readonly number: number;
  /** Content of a length-delimited field; absent for others. */
  readonly bytes?: Uint8Array;
  /** Content of a varint field, in two's complement; absent for others. */
  readonly integer?: bigint;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** Goes through the fields of one message; nested messages are left as bytes. Throws `invalid_value` when cut short. */
export function* protobufFields(bytes: Uint8Array): Generator<ProtobufField> {
  const cursor = new Cursor(bytes);
  while (!cursor.atEnd) {
    const tag = Number(cursor.varint());
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case VARINT:
        yield { number, integer: BigInt.asIntN(64, cursor.varint()) };
        break;
      case LENGTH_DELIMITED:
        yield { number, bytes: cursor.take(Number(cursor.varint())) };
        break;
      case FIXED_64:
        cursor.take(8);
        yield { number };
        break;
      case FIXED_32:
        cursor.take(4);
        yield { number };
        break;
      default:
        throw malformed(`wire type ${tag % 8} at byte ${cursor.position}`);
    }
  }
}

/** The integers of a repeated field, packed or a single one. */
export function packedIntegers(field: ProtobufField): bigint[] {
  if (field.integer !== undefined) return [field.integer];
  const cursor = new Cursor(field.bytes ?? new Uint8Array());
  const values: bigint[] = [];
  while (!cursor.atEnd) values.push(BigInt.asIntN(64, cursor.varint()));
  return values;
}

/** The text of a string field. */
export function fieldText(field: ProtobufField): string {
  return new TextDecoder().decode(field.bytes ?? new Uint8Array());
}

class Cursor {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.position];
      if (byte === undefined) throw malformed("the end within a number");
      this.position += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw malformed(`a number of more than ten bytes before byte ${this.position}`);
  }

  take(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.#bytes.length) {
      throw malformed(`a field of ${length} bytes at byte ${this.position} of ${this.#bytes.length}`);
    }
    const taken = this.#bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }
}

function malformed(found: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.invalidValue, `protobuf message: expected whole fields, found ${found}`);
}
