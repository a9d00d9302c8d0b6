import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normalQuantile } from "./normal-quantile.ts";
import { randomStream } from "./random-stream.ts";

const COUNT = 400_000;

/* Every bound is five standard deviations of the figure it bounds; the draws are fixed, so a pass stays a pass. */
const FIVE_SIGMA = 5 / Math.sqrt(COUNT);

const mean = (values: Float64Array, of: (value: number) => number) =>
  values.reduce((sum, value) => sum + of(value), 0) / values.length;

describe("uniform numbers", () => {
  const values = new Float64Array(COUNT);
  randomStream({ seed: 2024, step: 0, stream: "uniform-statistics" }).fillUniform(values);

  it("lie in [0, 1) with the mean and variance of the uniform distribution", () => {
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(Math.abs(mean(values, (value) => value) - 1 / 2)).toBeLessThan(FIVE_SIGMA * Math.sqrt(1 / 12));
    expect(Math.abs(mean(values, (value) => (value - 0.5) ** 2) - 1 / 12)).toBeLessThan(
      FIVE_SIGMA * Math.sqrt(1 / 180),
    );
  });

  it("fall into 64 equal bins evenly", () => {
    const bins = new Array<number>(64).fill(0);
    for (const value of values) bins[Math.floor(value * 64)] = (bins[Math.floor(value * 64)] ?? 0) + 1;
    const chiSquare = bins.reduce((sum, count) => sum + (count - COUNT / 64) ** 2 / (COUNT / 64), 0);
    expect(chiSquare).toBeGreaterThan(63 - 5 * Math.sqrt(126));
    expect(chiSquare).toBeLessThan(63 + 5 * Math.sqrt(126));
  });

  it("use all 53 bits", () => {
    const lowBits = mean(values, (value) => (value * 2 ** 53) % 2);
    expect(Math.abs(lowBits - 0.5)).toBeLessThan(FIVE_SIGMA * 0.5);
  });

  it("follow one another without correlation", () => {
    let sum = 0;
    for (let index = 1; index < COUNT; index += 1) {
      sum += (values[index - 1] - 0.5) * (values[index] - 0.5) * 12;
    }
    expect(Math.abs(sum / COUNT)).toBeLessThan(FIVE_SIGMA);
  });
});

describe("normal numbers", () => {
  const values = new Float64Array(COUNT);
  randomStream({ seed: 2024, step: 0, stream: "normal-statistics" }).fillNormal(values);

  it("have the first four moments of the standard normal distribution", () => {
    expect(Math.abs(mean(values, (value) => value))).toBeLessThan(FIVE_SIGMA);
    expect(Math.abs(mean(values, (value) => value ** 2) - 1)).toBeLessThan(FIVE_SIGMA * Math.sqrt(2));
    expect(Math.abs(mean(values, (value) => value ** 3))).toBeLessThan(FIVE_SIGMA * Math.sqrt(15));
    expect(Math.abs(mean(values, (value) => value ** 4) - 3)).toBeLessThan(FIVE_SIGMA * Math.sqrt(96));
  });

  it.each([
    [1, 0.15865525393145707],
    [2, 0.022750131948179212],
    [3, 0.0013498980316300957],
    [4, 3.1671241833119857e-5],
  ])("lie beyond %d on either side with the right probability", (limit, probability) => {
    const tolerance = FIVE_SIGMA * Math.sqrt(probability);
    expect(Math.abs(mean(values, (value) => (value > limit ? 1 : 0)) - probability)).toBeLessThan(tolerance);
    expect(Math.abs(mean(values, (value) => (value < -limit ? 1 : 0)) - probability)).toBeLessThan(tolerance);
  });
});

describe("the normal quantile", () => {
  /* Tabulated values of the standard normal distribution, from arithmetic with 150 bits. */
  it.each([
    [0.001, 0.002506630899571764],
    [0.1, 0.25334710313579983],
    [0.25, 0.6744897501960817],
    [0.42499999, 1.439531400294751],
    [0.4250001, 1.4395321773759004],
    [0.45, 1.6448536269514729],
    [0.49, 2.3263478740408408],
    [0.4999, 3.7190164854557084],
    [0.499999999, 5.997807010584733],
    [0.5 - 2 ** -40, 7.047700256664409],
    [0.5 - 2 ** -53, 8.209536151601387],
  ])("at probability 0.5 + %d is %d to 8 ulp", (offset, quantile) => {
    expect(Math.abs(normalQuantile(offset) - quantile)).toBeLessThanOrEqual(8 * 2 ** -53 * Math.abs(quantile));
    expect(normalQuantile(-offset)).toBe(-normalQuantile(offset));
  });

  it("rises across its whole range, the seams of its formulas included", () => {
    const offset = fc.double({ min: -0.5 + 2 ** -53, max: 0.5 - 2 ** -53, noNaN: true });
    fc.assert(
      fc.property(offset, offset, (left, right) => {
        // Over less than a few roundings a rational function need not be monotonic.
        fc.pre(right - left > 1e-14);
        expect(normalQuantile(left)).toBeLessThan(normalQuantile(right));
      }),
      { numRuns: 5000 },
    );
    for (const seam of [0.425, 0.5 - 1.3887943864964021e-11]) {
      expect(normalQuantile(seam * (1 - 1e-13))).toBeLessThan(normalQuantile(seam * (1 + 1e-13)));
    }
  });
});

describe("integers below a bound", () => {
  it.each([1, 2, 3, 7, 10, 2 ** 31 + 1, 2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1])("below %d are evenly spread", (bound) => {
    const stream = randomStream({ seed: 5, step: 0, stream: "integers" });
    const count = 40_000;
    const draws = Array.from({ length: count }, () => stream.nextInteger(bound));
    expect(draws.every((draw) => Number.isInteger(draw) && draw >= 0 && draw < bound)).toBe(true);
    const scaled = draws.reduce((sum, draw) => sum + (bound === 1 ? 0 : draw / (bound - 1) - 0.5), 0) / count;
    expect(Math.abs(scaled)).toBeLessThan(5 * Math.sqrt(1 / 4 / count));
    const bins = Math.min(bound, 10);
    const counts = new Array<number>(bins).fill(0);
    for (const draw of draws)
      counts[Math.floor((draw / bound) * bins)] = (counts[Math.floor((draw / bound) * bins)] ?? 0) + 1;
    for (const binCount of counts) expect(Math.abs(binCount - count / bins)).toBeLessThan(5 * Math.sqrt(count / bins));
  });

  it("take another try where a plain remainder would favour small values", () => {
    // Three quarters of 2^32: without rejection the lowest third would come up twice as often.
    const stream = randomStream({ seed: 5, step: 1, stream: "integers" });
    const bound = 3 * 2 ** 30;
    const draws = Array.from({ length: 30_000 }, () => stream.nextInteger(bound));
    const low = draws.filter((draw) => draw < 2 ** 30).length / draws.length;
    expect(Math.abs(low - 1 / 3)).toBeLessThan(0.014);
    expect(stream.position).toBeGreaterThan(draws.length);
  });
});
