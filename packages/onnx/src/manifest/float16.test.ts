import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { float16Array, float16Bits, float16Value } from "./float16.ts";

describe("16-bit floats", () => {
  test.each([
    [0, 0x0000],
    [-0, 0x8000],
    [1, 0x3c00],
    [-2, 0xc000],
    [65_504, 0x7bff],
    [65_520, 0x7c00],
    [2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [1.5 * 2 ** -24, 0x0002],
    [2 ** -14, 0x0400],
    [0.1, 0x2e66],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [Infinity, 0x7c00],
    [NaN, 0x7e00],
  ])("%d has the bits %d", (value, bits) => {
    expect(float16Bits(value)).toBe(bits);
  });

  test("every pattern of bits that is a number comes back as itself", () => {
    for (let bits = 0; bits < 65_536; bits += 1) {
      const value = float16Value(bits);
      if (!Number.isNaN(value)) expect(float16Bits(value)).toBe(bits);
    }
  });

  test("no other 16-bit float is nearer to a number than the one that is chosen", () => {
    fc.assert(
      fc.property(fc.float({ min: -65_000, max: 65_000, noNaN: true }), (value) => {
        const bits = float16Bits(value);
        const error = Math.abs(float16Value(bits) - value);
        for (const other of [bits - 1, bits + 1]) {
          if ((other & 0x7c00) === 0x7c00 || other < 0 || (other & 0x8000) !== (bits & 0x8000)) continue;
          expect(error).toBeLessThanOrEqual(Math.abs(float16Value(other) - value));
        }
      }),
    );
    expect([...float16Array([1, -2])]).toEqual([0x3c00, 0xc000]);
  });
});
