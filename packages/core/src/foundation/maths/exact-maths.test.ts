import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  exactAcos,
  exactAsin,
  exactAtan,
  exactAtan2,
  exactCos,
  exactExp,
  exactHypot,
  exactLog,
  exactPow,
  exactSin,
  exactTan,
  exactTanh,
} from "./index.ts";

/** How far apart two doubles are, in units of the last place of the second. */
function ulpsBetween(found: number, wanted: number): number {
  if (Object.is(found, wanted)) return 0;
  if (!Number.isFinite(found) || !Number.isFinite(wanted)) return Infinity;
  let unit = 2 ** Math.max(-1074, Math.floor(Math.log2(Math.abs(wanted))) - 52);
  if (unit > Math.abs(wanted) * 2 ** -52) unit /= 2;
  return Math.abs(found - wanted) / Math.max(unit, 2 ** -1074);
}

/**
 * The engine's own functions are good to about one ulp, so a difference of up to our stated bound plus one and a half
 * is what a correct function can show.
 */
const ENGINE_ULPS = 1.5;

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
/** Far enough from the greatest double that rounding alone does not decide whether a result overflows. */
const belowOverflow = between(-8e307, 8e307);

interface Comparison {
  readonly name: string;
  readonly exact: (...values: number[]) => number;
  readonly engine: (...values: number[]) => number;
  readonly arguments: readonly fc.Arbitrary<number>[];
  readonly ulps: number;
}

const COMPARISONS: readonly Comparison[] = [
  { name: "exactSin", exact: exactSin, engine: Math.sin, arguments: [between(-1.7e6, 1.7e6)], ulps: 1 },
  { name: "exactSin near zero", exact: exactSin, engine: Math.sin, arguments: [between(-1, 1)], ulps: 1 },
  { name: "exactSin of any double", exact: exactSin, engine: Math.sin, arguments: [finite], ulps: 1 },
  { name: "exactCos", exact: exactCos, engine: Math.cos, arguments: [between(-1.7e6, 1.7e6)], ulps: 1 },
  { name: "exactCos of any double", exact: exactCos, engine: Math.cos, arguments: [finite], ulps: 1 },
  { name: "exactTan", exact: exactTan, engine: Math.tan, arguments: [between(-1.7e6, 1.7e6)], ulps: 2.5 },
  { name: "exactTan near zero", exact: exactTan, engine: Math.tan, arguments: [between(-1, 1)], ulps: 2.5 },
  { name: "exactAtan", exact: exactAtan, engine: Math.atan, arguments: [finite], ulps: 1 },
  { name: "exactAtan of small values", exact: exactAtan, engine: Math.atan, arguments: [between(-4, 4)], ulps: 1 },
  { name: "exactAtan2", exact: exactAtan2, engine: Math.atan2, arguments: [between(-9, 9), between(-9, 9)], ulps: 2 },
  { name: "exactAsin", exact: exactAsin, engine: Math.asin, arguments: [between(-1, 1)], ulps: 3 },
  { name: "exactAcos", exact: exactAcos, engine: Math.acos, arguments: [between(-1, 1)], ulps: 3 },
  { name: "exactExp", exact: exactExp, engine: Math.exp, arguments: [between(-745, 710)], ulps: 1 },
  { name: "exactExp of small values", exact: exactExp, engine: Math.exp, arguments: [between(-4, 4)], ulps: 1 },
  { name: "exactLog", exact: exactLog, engine: Math.log, arguments: [between(0, Infinity)], ulps: 1 },
  { name: "exactLog near one", exact: exactLog, engine: Math.log, arguments: [between(0.5, 2)], ulps: 1 },
  { name: "exactTanh", exact: exactTanh, engine: Math.tanh, arguments: [between(-25, 25)], ulps: 2 },
  { name: "exactTanh near zero", exact: exactTanh, engine: Math.tanh, arguments: [between(-1, 1)], ulps: 2 },
  { name: "exactHypot", exact: exactHypot, engine: Math.hypot, arguments: [belowOverflow, belowOverflow], ulps: 2 },
  {
    name: "exactHypot of three",
    exact: exactHypot,
    engine: Math.hypot,
    arguments: [belowOverflow, belowOverflow, belowOverflow],
    ulps: 2,
  },
];

describe("accuracy", () => {
  it.each(COMPARISONS)("$name is within $ulps ulp (and the engine's own error) of Math", (comparison) => {
    const limit = comparison.ulps + ENGINE_ULPS;
    fc.assert(
      fc.property(fc.tuple(...comparison.arguments), (values) => {
        const found = comparison.exact(...values);
        expect(ulpsBetween(found, comparison.engine(...values)), `${values.join(", ")} -> ${found}`).toBeLessThan(
          limit,
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("exactPow inverts to its logarithm within the error that the size of the exponent brings", () => {
    fc.assert(
      fc.property(between(1e-300, 1e300), between(-1, 1), (base, exponent) => {
        const found = exactPow(base, exponent);
        const wanted = exponent * Math.log(base);
        expect(Math.abs(Math.log(found) - wanted)).toBeLessThan(2 ** -51 * Math.max(1, Math.abs(wanted)));
      }),
      { numRuns: 2000 },
    );
  });

  it("exactPow gives integers exactly wherever the power fits in 53 bits", () => {
    const wrong: string[] = [];
    for (let base = 2; base < 3000; base += 1) {
      for (let exponent = 2, power = BigInt(base) ** 2n; power <= 2n ** 53n; exponent += 1, power *= BigInt(base)) {
        if (exactPow(base, exponent) !== Number(power)) wrong.push(`${base}^${exponent}`);
        if (exactPow(-base, exponent) !== (-1) ** exponent * Number(power)) wrong.push(`(-${base})^${exponent}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  /* The true values, from arithmetic with 1500 bits, rounded to a double. */
  it.each([
    ["sin(1e22)", exactSin(1e22), -0.8522008497671888],
    ["cos(1e22)", exactCos(1e22), 0.523214785395139],
    ["cos of the double nearest to a multiple of pi/2", exactCos(5.319372648326541e255), -4.687165924254628e-19],
    ["sin(2^1023)", exactSin(2 ** 1023), 0.563127779850884],
    ["sin(1647099.5), just beyond the limit of the fast reduction", exactSin(1647099.5), 0.1700049719114738],
    ["tan(1.5e6)", exactTan(1.5e6), -0.5944738555443376],
    ["exp(-745.13), the smallest double", exactExp(-745.13), 5e-324],
    ["exp(709.78)", exactExp(709.78), 1.7928227943945155e308],
    ["log of the smallest double", exactLog(5e-324), -744.4400719213812],
    ["tanh at the seam of its two formulas", exactTanh(0.625), 0.5545997223493823],
    ["atan at a cut point", exactAtan(2.4375), 1.1814796049617557],
    ["acos next to 1", exactAcos(0.9999999999999999), 1.4901161193847656e-8],
    ["asin(-0.75)", exactAsin(-0.75), -0.848062078981481],
    ["1.0000001^1e9", exactPow(1.0000001, 1e9), 2.6881038582144647e43],
    ["0.7071067811865^2000", exactPow(0.7071067811865, 2000), 9.33263618377916e-302],
    ["2^-1074", exactPow(2, -1074), 5e-324],
    ["1e-5^-3.7", exactPow(1e-5, -3.7), 3.162277660168385e18],
  ])("%s is right to 2.5 ulp", (_name, found, wanted) => {
    expect(ulpsBetween(found, wanted)).toBeLessThanOrEqual(2.5);
  });

  it("exactHypot neither overflows nor underflows on the way", () => {
    expect(exactHypot(3e300, 4e300)).toBe(5e300);
    expect(exactHypot(3 * 2 ** -1070, 4 * 2 ** -1070)).toBe(5 * 2 ** -1070);
    expect(exactHypot(1.5e308, 1.5e308)).toBe(Infinity);
  });
});

describe("special values follow ECMAScript", () => {
  const SPECIAL = [
    NaN,
    Infinity,
    -Infinity,
    0,
    -0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    0.5,
    -0.5,
    1e300,
    -1e300,
    5e-324,
    -5e-324,
    2 ** 53,
  ];

  const ONE_ARGUMENT = [
    ["exactSin", exactSin, Math.sin],
    ["exactCos", exactCos, Math.cos],
    ["exactTan", exactTan, Math.tan],
    ["exactAtan", exactAtan, Math.atan],
    ["exactAsin", exactAsin, Math.asin],
    ["exactAcos", exactAcos, Math.acos],
    ["exactExp", exactExp, Math.exp],
    ["exactLog", exactLog, Math.log],
    ["exactTanh", exactTanh, Math.tanh],
  ] as const;

  it.each(ONE_ARGUMENT)("%s: NaN, infinities, zeros of both signs and extremes", (_name, exact, engine) => {
    for (const value of SPECIAL) expect(ulpsBetween(exact(value), engine(value)), `of ${value}`).toBeLessThan(4.5);
  });

  const TWO_ARGUMENTS = [
    ["exactAtan2", exactAtan2, Math.atan2],
    ["exactPow", exactPow, Math.pow],
    ["exactHypot", exactHypot, Math.hypot],
  ] as const;

  it.each(TWO_ARGUMENTS)("%s: every pair of special values", (_name, exact, engine) => {
    for (const left of SPECIAL) {
      for (const right of SPECIAL) {
        const difference = ulpsBetween(exact(left, right), engine(left, right));
        expect(difference, `of ${left}, ${right}: ${exact(left, right)}`).toBeLessThan(4.5);
      }
    }
  });

  it("odd and even functions are so bit for bit", () => {
    fc.assert(
      fc.property(finite, (value) => {
        for (const odd of [exactSin, exactTan, exactAtan, exactTanh]) expect(odd(-value)).toBe(-odd(value));
        expect(exactCos(-value)).toBe(exactCos(value));
      }),
    );
  });
});
