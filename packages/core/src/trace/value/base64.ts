import { refuse } from "../../foundation/validate/reader.ts";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (letter) => letter.charCodeAt(0));
const VALUES = valuesByCode();

function valuesByCode(): Uint8Array {
  const values = new Uint8Array(128).fill(255);
  CODES.forEach((code, value) => (values[code] = value));
  return values;
}

/** Bytes as base64 with padding (RFC 4648, section 4). Engines offer this under different names, so it is written out. */
export function toBase64(bytes: Uint8Array): string {
  const out = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let write = 0;
  for (let read = 0; read < bytes.length; read += 3) {
    const left = bytes.length - read;
    const triple = (at(bytes, read) << 16) | (at(bytes, read + 1) << 8) | at(bytes, read + 2);
    out[write] = at(CODES, triple >> 18);
    out[write + 1] = at(CODES, (triple >> 12) & 63);
    out[write + 2] = left > 1 ? at(CODES, (triple >> 6) & 63) : PADDING;
    out[write + 3] = left > 2 ? at(CODES, triple & 63) : PADDING;
    write += 4;
  }
  return new TextDecoder().decode(out);
}

/** The bytes of base64 text; refuses other letters, missing padding and bits that belong to no byte. */
export function fromBase64(text: string, path: string): Uint8Array {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  if (text.length % 4 !== 0) refuse(path, "base64 text of a length divisible by 4", text);
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let write = 0;
  for (let read = 0; read < text.length; read += 4) {
    const last = read + 4 === text.length;
    let quad = 0;
    for (let offset = 0; offset < 4; offset += 1) {
      const isPadding = last && offset >= 4 - padding;
      const value = isPadding ? 0 : VALUES[text.charCodeAt(read + offset)];
      if (value === undefined || value === 255) refuse(path, "base64 text", text);
      quad = (quad << 6) | value;
    }
    if (last && padding > 0 && (quad & (padding === 2 ? 0xffff : 0xff)) !== 0) {
      refuse(path, "base64 text whose unused bits are 0", text);
    }
    for (let shift = 16; shift >= 0 && write < bytes.length; shift -= 8) {
      bytes[write] = (quad >> shift) & 255;
      write += 1;
    }
  }
  return bytes;
}

/** Letters that `byteCount` bytes take as base64. */
export function base64Length(byteCount: number): number {
  return Math.ceil(byteCount / 3) * 4;
}

const PADDING = "=".charCodeAt(0);

function at(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
