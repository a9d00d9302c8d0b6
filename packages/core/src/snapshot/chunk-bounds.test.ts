import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { randomStream } from "../foundation/random/index.ts";
import { chunkEnds, MAX_CHUNK_BYTES, MIN_CHUNK_BYTES, TYPICAL_CHUNK_BYTES } from "./chunk-bounds.ts";

function noise(floats: number, seed: number): Float32Array {
  const random = randomStream({ seed, step: 0, stream: "chunks" });
  return Float32Array.from({ length: floats }, () => random.nextUniform());
}

const bytesOf = (array: Float32Array): Uint8Array => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

function chunksOf(bytes: Uint8Array, elementBytes: number): string[] {
  let start = 0;
  return chunkEnds(bytes, elementBytes).map((end) => {
    const text = bytes.subarray(start, end).join();
    start = end;
    return text;
  });
}

describe("chunks by content", () => {
  test("O2: they cover the array without gaps, within their bounds, at any offset (property)", () => {
    fc.assert(
      fc.property(
        fc.nat(200_000),
        fc.nat(7),
        fc.constantFrom(1, 2, 4, 8),
        fc.nat(1000),
        (length, offset, element, seed) => {
          const bytes = new Uint8Array(new ArrayBuffer(length + offset), offset);
          const random = randomStream({ seed, step: 0, stream: "chunks" });
          for (let at = 0; at < length; at += 1 + Math.floor(random.nextUniform() * 9)) bytes[at] = at * seed;
          const ends = chunkEnds(bytes, element);
          expect(ends.at(-1) ?? 0).toBe(length);
          let start = 0;
          for (const [index, end] of ends.entries()) {
            if (index < ends.length - 1) expect(end - start).toBeGreaterThanOrEqual(MIN_CHUNK_BYTES);
            expect(end - start).toBeLessThanOrEqual(MAX_CHUNK_BYTES);
            start = end;
          }
          expect(chunkEnds(bytes.slice(), element)).toEqual(ends);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("O2: a cache whose window has moved on shares what it still holds with its older self", () => {
    const entry = 4096;
    const entries = 64;
    const before = noise(entry * entries, 1);
    const after = new Float32Array(before.length);
    after.set(before.subarray(entry));
    after.set(noise(entry, 2), entry * (entries - 1));
    const known = new Set(chunksOf(bytesOf(before), 4));
    const later = chunksOf(bytesOf(after), 4);
    const isNew = later.filter((chunk) => !known.has(chunk));
    // One entry of 16 KiB is new, and a chunk at either end of the array is cut elsewhere.
    expect(isNew.length).toBeLessThanOrEqual(4);
    expect(later.length).toBeGreaterThan(10);
    const typical = before.byteLength / later.length;
    expect(typical).toBeGreaterThan(TYPICAL_CHUNK_BYTES / 2);
    expect(typical).toBeLessThan(TYPICAL_CHUNK_BYTES * 2);
  });

  test("O2: an empty cache is a few equal chunks", () => {
    const chunks = chunksOf(new Uint8Array(8 * MAX_CHUNK_BYTES), 4);
    expect(new Set(chunks).size).toBe(1);
    expect(chunks).toHaveLength(8);
  });
});
