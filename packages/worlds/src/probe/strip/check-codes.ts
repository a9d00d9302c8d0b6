/** Generator of the 24-bit cyclic redundancy check of OpenPGP (RFC 4880, section 6.1). */
const CRC24_GENERATOR = 0x864cfb;
/** Start value of the same check. */
const CRC24_START = 0xb704ce;

/** The 24-bit check value of some bytes, as OpenPGP computes it. */
export function crc24(bytes: ArrayLike<number>): number {
  let crc = CRC24_START;
  for (let index = 0; index < bytes.length; index += 1) {
    crc ^= bytes[index] << 16;
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1;
      if ((crc & 0x1000000) !== 0) crc ^= 0x1000000 | CRC24_GENERATOR;
    }
  }
  return crc;
}

/**
 * A 16-bit fingerprint of a prompt: the lower 16 bits of the OpenPGP check value of its UTF-8 bytes. Two prompts differ in
 * it with a probability of 65,535 in 65,536.
 */
export function promptHash(prompt: string): number {
  return crc24(new TextEncoder().encode(prompt)) & 0xffff;
}

/** The first `length` bits of the pseudo-random sequence x^15 + x^14 + 1 of ITU-T O.150, started at 0x4d2b, which has no long runs. */
export function scramblingBits(length: number): Uint8Array {
  const bits = new Uint8Array(length);
  let register = 0x4d2b;
  for (let index = 0; index < length; index += 1) {
    const bit = ((register >>> 14) ^ (register >>> 13)) & 1;
    register = ((register << 1) | bit) & 0x7fff;
    bits[index] = bit;
  }
  return bits;
}
