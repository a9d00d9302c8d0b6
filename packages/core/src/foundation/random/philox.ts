/*
 * Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3" (SC 2011). The multipliers and key increments are those of the paper; the tests hold the known answers
 * published with its library, Random123.
 */

const ROUNDS = 10;

const MULTIPLIER_0 = 0xd2511f53 | 0;
const MULTIPLIER_0_LOW = 0x1f53;
const MULTIPLIER_0_HIGH = 0xd251;
const MULTIPLIER_1 = 0xcd9e8d57 | 0;
const MULTIPLIER_1_LOW = 0x8d57;
const MULTIPLIER_1_HIGH = 0xcd9e;

const KEY_INCREMENT_0 = 0x9e3779b9 | 0;
const KEY_INCREMENT_1 = 0xbb67ae85 | 0;

/** How many 32-bit words one counter value gives. */
export const PHILOX_BLOCK_WORDS = 4;

/** Four 32-bit words, lowest first. */
export type PhiloxCounter = readonly [number, number, number, number];

/** Two 32-bit words, lowest first. */
export type PhiloxKey = readonly [number, number];

/** The four random words (0 to 2^32 - 1) that belong to a counter under a key. */
export function philox4x32(counter: PhiloxCounter, key: PhiloxKey): [number, number, number, number] {
  const block = new Uint32Array(PHILOX_BLOCK_WORDS);
  writePhiloxBlock(block, 0, counter[0], counter[1], counter[2], counter[3], key[0], key[1]);
  return [block[0], block[1], block[2], block[3]];
}

/**
 * Writes the four words of a counter under a key into `words` from `offset` on. Everything is passed one by one, not
 * in an object, since this runs once for every two random numbers of a frame.
 */
export function writePhiloxBlock(
  words: Uint32Array,
  offset: number,
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key0: number,
  key1: number,
): void {
  let c0 = counter0 | 0;
  let c1 = counter1 | 0;
  let c2 = counter2 | 0;
  let c3 = counter3 | 0;
  let k0 = key0 | 0;
  let k1 = key1 | 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // The upper half of a 32 by 32 bit product from 16-bit pieces: no piece exceeds 2^32, so wrapping is harmless.
    const low0 = c0 & 0xffff;
    const high0 = c0 >>> 16;
    const cross0 = Math.imul(high0, MULTIPLIER_0_LOW) + (Math.imul(low0, MULTIPLIER_0_LOW) >>> 16);
    const middle0 = Math.imul(low0, MULTIPLIER_0_HIGH) + (cross0 & 0xffff);
    const upper0 = (Math.imul(high0, MULTIPLIER_0_HIGH) + (cross0 >>> 16) + (middle0 >>> 16)) | 0;

    const low1 = c2 & 0xffff;
    const high1 = c2 >>> 16;
    const cross1 = Math.imul(high1, MULTIPLIER_1_LOW) + (Math.imul(low1, MULTIPLIER_1_LOW) >>> 16);
    const middle1 = Math.imul(low1, MULTIPLIER_1_HIGH) + (cross1 & 0xffff);
    const upper1 = (Math.imul(high1, MULTIPLIER_1_HIGH) + (cross1 >>> 16) + (middle1 >>> 16)) | 0;

    const lower0 = Math.imul(c0, MULTIPLIER_0);
    const lower1 = Math.imul(c2, MULTIPLIER_1);
    c0 = upper1 ^ c1 ^ k0;
    c1 = lower1;
    c2 = upper0 ^ c3 ^ k1;
    c3 = lower0;
    k0 = (k0 + KEY_INCREMENT_0) | 0;
    k1 = (k1 + KEY_INCREMENT_1) | 0;
  }
  words[offset] = c0;
  words[offset + 1] = c1;
  words[offset + 2] = c2;
  words[offset + 3] = c3;
}
