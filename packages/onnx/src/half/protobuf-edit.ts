import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** One field of a protobuf message with all that is needed to write it again (https://protobuf.dev/programming-guides/encoding/). */
export interface RawField {
  /** Number of the field. */
  readonly number: number;
  /** Its content: that of a length-delimited field, else the bytes of the number. */
  readonly content: Uint8Array;
  /** The whole field as it was read, tag and length included. */
  readonly raw: Uint8Array;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** The fields of one message in their order; throws `invalid_value` when it is cut short. */
export function rawFields(bytes: Uint8Array): readonly RawField[] {
  const fields: RawField[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 70; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined) throw cut(at);
      at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw cut(at);
  };
  while (at < bytes.length) {
    const start = at;
    const tag = varint();
    const wire = tag % 8;
    let from = at;
    if (wire === VARINT) varint();
    else if (wire === FIXED_64) at += 8;
    else if (wire === FIXED_32) at += 4;
    else if (wire === LENGTH_DELIMITED) {
      const length = varint();
      from = at;
      at += length;
    } else throw cut(start);
    if (at > bytes.length) throw cut(start);
    fields.push({ number: Math.floor(tag / 8), content: bytes.subarray(from, at), raw: bytes.subarray(start, at) });
  }
  return fields;
}

function cut(at: number): DreamloopError {
  return new DreamloopError(ERROR_CODES.invalidValue, `ONNX model: expected whole fields, found a fault at byte ${at}`);
}

/** The number of a varint field; exact up to 2^53. */
export function fieldNumber({ content }: RawField): number {
  return content.reduceRight((value, byte) => value * 128 + (byte & 0x7f), 0);
}

/** The text of a string field. */
export function fieldString({ content }: RawField): string {
  return new TextDecoder().decode(content);
}

/** A field that holds a non-negative integer. */
export function integerField(number: number, value: number): Uint8Array {
  return joined([varintBytes(number * 8 + VARINT), varintBytes(value)]);
}

/** A field that holds bytes, text or another message. */
export function bytesField(number: number, content: Uint8Array | string): Uint8Array {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return joined([varintBytes(number * 8 + LENGTH_DELIMITED), varintBytes(bytes.length), bytes]);
}

/** Bytes one after the other. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function varintBytes(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...bytes, rest]);
}
