import fc from "fast-check";
import { expect, it } from "vitest";
import { floorLog2, powerOfTwo, scaleByPowerOfTwo } from "./binary-scale.ts";

it("powers of two are exact from the smallest subnormal to the largest", () => {
  expect(powerOfTwo(-1074)).toBe(5e-324);
  expect(powerOfTwo(-1022)).toBe(2.2250738585072014e-308);
  expect(powerOfTwo(0)).toBe(1);
  expect(powerOfTwo(1023)).toBe(8.98846567431158e307);
});

it("the exponent of a number brackets it, subnormal numbers included", () => {
  fc.assert(
    fc.property(fc.double({ min: 5e-324, noNaN: true, noDefaultInfinity: true }), (value) => {
      const exponent = floorLog2(value);
      expect(value).toBeGreaterThanOrEqual(powerOfTwo(exponent));
      if (exponent < 1023) expect(value).toBeLessThan(powerOfTwo(exponent + 1));
    }),
    { numRuns: 2000 },
  );
  expect(floorLog2(5e-324)).toBe(-1074);
  expect(floorLog2(Number.MAX_VALUE)).toBe(1023);
  expect(floorLog2(1 - 2 ** -53)).toBe(-1);
});

it("scaling into the subnormal range rounds once", () => {
  // 1 + 2^-51 scaled by 2^-1073 keeps only 2 bits; 1.25 lies exactly between 1 and 1.5 there and goes to even.
  expect(scaleByPowerOfTwo(1.25, -1073)).toBe(2 * 5e-324);
  expect(scaleByPowerOfTwo(1.25 + 2 ** -50, -1073)).toBe(3 * 5e-324);
  expect(scaleByPowerOfTwo(1, -1075)).toBe(0);
  expect(scaleByPowerOfTwo(1 + 2 ** -52, -1075)).toBe(5e-324);
  expect(scaleByPowerOfTwo(1, 1024)).toBe(Infinity);
  expect(scaleByPowerOfTwo(0.75, 1024)).toBe(0.75 * 2 ** 1023 * 2);
});
