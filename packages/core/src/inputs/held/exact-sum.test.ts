import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactSum } from "./exact-sum.ts";

/** A finite double as an integer multiple of 2^-1074. */
function scaled(value: number): bigint {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0];
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
  return value < 0 ? -magnitude : magnitude;
}

/** The sum of doubles without rounding, in multiples of 2^-1074. */
function exactly(values: readonly number[]): bigint {
  return values.reduce((sum, value) => sum + scaled(value), 0n);
}

/** The double nearest to a multiple of 2^-1074, ties to even. */
function nearest(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  const shift = BigInt(Math.max(0, magnitude.toString(2).length - 53));
  const half = shift === 0n ? 0n : 1n << (shift - 1n);
  const rest = magnitude - ((magnitude >> shift) << shift);
  let mantissa = magnitude >> shift;
  if (shift > 0n && (rest > half || (rest === half && (mantissa & 1n) === 1n))) mantissa += 1n;
  // A mantissa that was rounded up to the next power of two carries into the exponent.
  const size = new Float64Array(new BigUint64Array([(shift << 52n) + mantissa]).buffer)[0];
  return value < 0n ? -size : size;
}

// Numbers of any size: what a device sends may be as small as a double can be.
const movement = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true, noDefaultInfinity: true }),
  fc
    .tuple(fc.integer({ min: -(2 ** 26), max: 2 ** 26 }), fc.integer({ min: -1074, max: 900 }))
    .map(([mantissa, exponent]) => mantissa * 2 ** Math.max(exponent, -1000) * 2 ** Math.min(0, exponent + 1000)),
);

function expectExact(steps: readonly (readonly [number, boolean])[]): void {
  const sum = new ExactSum();
  let left = 0n;
  for (const [value, takes] of steps) {
    sum.add(value);
    left += scaled(value);
    expect(exactly(sum.save())).toBe(left);
    if (!takes) continue;
    const taken = sum.take();
    expect(taken).toBe(nearest(left));
    left -= scaled(taken);
  }
  expect(exactly(sum.save())).toBe(left);
  expect(sum.save().length).toBeLessThanOrEqual(40);
}

test("A4: what is taken out is the exact sum rounded once, and the rest stays, whenever it is taken", () => {
  fc.assert(fc.property(fc.array(fc.tuple(movement, fc.boolean()), { maxLength: 200 }), expectExact));
});

test("A4: movements far apart in size lose nothing", () => {
  expectExact([-1.65e-42, -1.26e-29, -2.27e-13].map((value) => [value, true]));
  expectExact([1e300, 1, Number.MIN_VALUE, -1e300, 1e-30].map((value) => [value, false]));
});

test("it stays small however many sizes are added", () => {
  const steps = Array.from({ length: 1000 }, (_, index) => [2 ** (index * 2 - 1070), false] as const);
  expectExact(steps.filter(([value]) => Number.isFinite(value)));
});

test("ties round to even, unless something smaller decides", () => {
  expectExact([2 ** 53, 1].map((value, index) => [value, index === 1]));
  expectExact([2 ** 53, 1, 2 ** -60].map((value, index) => [value, index === 2]));
  expectExact([2 ** 53 + 2, 1, -(2 ** -60)].map((value, index) => [value, index === 2]));
});

test("a hundred tenths are ten", () => {
  const sum = new ExactSum();
  for (let index = 0; index < 100; index += 1) sum.add(0.1);
  expect(sum.take()).toBe(10);
});

test("it goes on from what was saved", () => {
  const sum = new ExactSum();
  for (const value of [1e16, 1, 1, 1]) sum.add(value);
  const copy = new ExactSum(...sum.save());
  copy.add(-1e16);
  expect(copy.take()).toBe(3);
});
