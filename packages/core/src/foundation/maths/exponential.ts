import { scaleByPowerOfTwo, splitNearOne } from "./binary-scale.ts";

/** ln 2 cut after 41 bits, so that an integer below 2^12 times it is exact. */
export const LN2_HIGH = 0.693147180559663;
/** What `LN2_HIGH` lacks. */
export const LN2_LOW = 2.8235290563031577e-13;
const LOG2_E = 1.4426950408889634;

const LARGEST_EXP_ARGUMENT = 709.782712893384;
const SMALLEST_EXP_ARGUMENT = -745.1332191019412;

/* r (e^r + 1) / (e^r - 1) = 2 + P1 r^2 + … + P5 r^10 for |r| <= ln2/2: FDLIBM's coefficients (Sun, 1993). */
const P1 = 1.66666666666666019037e-1;
const P2 = -2.77777777770155933842e-3;
const P3 = 6.61375632143793436117e-5;
const P4 = -1.6533902205465251539e-6;
const P5 = 4.13813679705723846039e-8;

/* log(1+f) = 2s + s (L1 s^2 + … + L7 s^14), s = f/(2+f), for 1+f in [sqrt(1/2), sqrt(2)]: from the same source. */
const L1 = 6.66666666666673513e-1;
const L2 = 3.999999999940941908e-1;
const L3 = 2.857142874366239149e-1;
const L4 = 2.222219843214978396e-1;
const L5 = 1.818357216161805012e-1;
const L6 = 1.531383769920937332e-1;
const L7 = 1.479819860511658591e-1;

/* tanh(x) = x + x^3 T(x^2) for |x| < 0.625: rational coefficients of Cephes (Moshier, 1989). */
const T0 = -9.64399179425052238628e-1;
const T1 = -9.92877231001918586564e1;
const T2 = -1.61468768441708447952e3;
const U0 = 1.12811678491632931402e2;
const U1 = 2.23548839060100448583e3;
const U2 = 4.84406305325125486048e3;

/** e^(high + low), where `low` is what a product or sum of the caller lacks; used by `exactExp` and `exactPow`. */
export function exponentialOfSum(high: number, low: number): number {
  if (high > LARGEST_EXP_ARGUMENT) return Infinity;
  if (high < SMALLEST_EXP_ARGUMENT) return 0;
  const exponent = Math.round(high * LOG2_E);
  const upper = high - exponent * LN2_HIGH;
  const lower = exponent * LN2_LOW - low;
  const r = upper - lower;
  const square = r * r;
  const c = r - square * (P1 + square * (P2 + square * (P3 + square * (P4 + square * P5))));
  return scaleByPowerOfTwo(1 - (lower - (r * c) / (2 - c) - upper), exponent);
}

/**
 * e to the power of a number, the same bits on every engine. Error below 1 ulp, subnormal results included. Above
 * 709.78 it is Infinity, below -745.13 zero; NaN gives NaN.
 *
 * Formula: 2^k e^r with Cody and Waite's two-part ln 2, and e^r from FDLIBM's rational form in r.
 */
export function exactExp(value: number): number {
  if (Number.isNaN(value)) return NaN;
  return exponentialOfSum(value, 0);
}

/**
 * The natural logarithm, the same bits on every engine. Error below 1 ulp. Zero gives -Infinity, a value below zero
 * and NaN give NaN, Infinity gives Infinity.
 *
 * Formula: k ln 2 + log(1 + f) with log(1 + f) = 2 artanh(f / (2 + f)), FDLIBM's minimax polynomial.
 */
export function exactLog(value: number): number {
  if (!(value > 0)) return value === 0 ? -Infinity : NaN;
  if (value === Infinity) return Infinity;
  const { mantissa, exponent } = splitNearOne(value);
  const f = mantissa - 1;
  const s = f / (2 + f);
  const z = s * s;
  const series = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
  const halfSquare = 0.5 * f * f;
  return exponent * LN2_HIGH - (halfSquare - (s * (halfSquare + series) + exponent * LN2_LOW) - f);
}

/**
 * The hyperbolic tangent, the same bits on every engine. Error below 2 ulp. Infinities give ±1; NaN gives NaN; -0
 * gives -0.
 *
 * Formula: below 0.625 the rational form of Cephes, above it 1 - 2 / (e^2x + 1), from 22 on 1.
 */
export function exactTanh(value: number): number {
  const x = Math.abs(value);
  if (x >= 22) return value < 0 ? -1 : 1;
  if (x >= 0.625) {
    const magnitude = 1 - 2 / (exactExp(2 * x) + 1);
    return value < 0 ? -magnitude : magnitude;
  }
  const z = value * value;
  const numerator = (T0 * z + T1) * z + T2;
  const denominator = ((z + U0) * z + U1) * z + U2;
  return value === 0 ? value : value + value * z * (numerator / denominator);
}
