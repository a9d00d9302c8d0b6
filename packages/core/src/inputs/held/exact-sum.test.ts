import fc from "fast-check";
import { expect, test } from "vitest";
import { ExactSum } from "./exact-sum.ts";

/** The sum of floats without rounding, as an integer multiple of 2^-1074. */
function exactly(values: readonly number[]): bigint {
  return values.reduce((sum, value) => sum + scaled(value), 0n);
}

function scaled(value: number): bigint {
  let exponent = 0;
  let mantissa = value;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent += 1;
  }
  return (BigInt(mantissa) << 1074n) >> BigInt(exponent);
}

const movement = fc
  .double({ min: -1e6, max: 1e6, noNaN: true, noDefaultInfinity: true })
  .map((value) => Math.fround(value));

test("A4: what is taken out, with what is left, is exactly what was added, whenever it is taken", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(movement, fc.boolean()), { maxLength: 200 }), (steps) => {
      const sum = new ExactSum();
      const taken: number[] = [];
      for (const [value, takes] of steps) {
        sum.add(value);
        if (takes) taken.push(sum.take());
      }
      const total = exactly(steps.map(([value]) => value));
      expect(exactly([...taken, ...sum.save()])).toBe(total);
    }),
  );
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
