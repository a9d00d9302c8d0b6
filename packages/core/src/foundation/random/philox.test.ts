import fc from "fast-check";
import { expect, it } from "vitest";
import { philox4x32, writePhiloxBlock, type PhiloxCounter, type PhiloxKey } from "./philox.ts";

const ALL_ONES = 0xffffffff;

/* The known answers for philox4x32-10 published with Random123. */
it.each<[string, PhiloxCounter, PhiloxKey, number[]]>([
  ["zeros", [0, 0, 0, 0], [0, 0], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]],
  [
    "ones",
    [ALL_ONES, ALL_ONES, ALL_ONES, ALL_ONES],
    [ALL_ONES, ALL_ONES],
    [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd],
  ],
  [
    "digits of pi",
    [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
    [0xa4093822, 0x299f31d0],
    [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1],
  ],
])("G2: Philox gives its published answer for %s", (_name, counter, key, answer) => {
  expect(philox4x32(counter, key)).toEqual(answer);
});

/** The definition in whole integers, written apart from the fast one. */
function plainPhilox(counter: PhiloxCounter, key: PhiloxKey): number[] {
  const mask = 0xffffffffn;
  let [c0, c1, c2, c3] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
  let [k0, k1] = key.map(BigInt) as [bigint, bigint];
  for (let round = 0; round < 10; round += 1) {
    const left = 0xd2511f53n * c0;
    const right = 0xcd9e8d57n * c2;
    [c0, c1, c2, c3] = [(right >> 32n) ^ c1 ^ k0, right & mask, (left >> 32n) ^ c3 ^ k1, left & mask];
    k0 = (k0 + 0x9e3779b9n) & mask;
    k1 = (k1 + 0xbb67ae85n) & mask;
  }
  return [c0, c1, c2, c3].map(Number);
}

it("Philox equals its definition in whole integers for any counter and key", () => {
  const word = fc.oneof(
    fc.integer({ min: 0, max: ALL_ONES }),
    fc.constantFrom(0, 0xffff, 0x10000, 0x7fffffff, ALL_ONES),
  );
  fc.assert(
    fc.property(fc.tuple(word, word, word, word), fc.tuple(word, word), (counter, key) => {
      expect(philox4x32(counter, key)).toEqual(plainPhilox(counter, key));
    }),
    { numRuns: 1000 },
  );
});

it("a block is written at its offset and nowhere else", () => {
  const words = new Uint32Array(12).fill(7);
  writePhiloxBlock(words, 4, 0, 0, 0, 0, 0, 0);
  expect([...words.subarray(0, 4), ...words.subarray(8)]).toEqual([7, 7, 7, 7, 7, 7, 7, 7]);
  expect([...words.subarray(4, 8)]).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
});
