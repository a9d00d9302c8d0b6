import { splitNearOne } from "./binary-scale.ts";
import { exponentialOfSum, LN2_HIGH, LN2_LOW } from "./exponential.ts";

const SPLITTER = 134217729;

/* 2/3 in two parts, the first coefficient of 2 artanh(s) = 2s + (2/3) s^3 + (2/5) s^5 + … */
const TWO_THIRDS_HIGH = 0.6666666666666666;
const TWO_THIRDS_LOW = 3.700743415417188e-17;

/** Beyond this exponent every base but one over- or underflows, since |log(x)| is at least 2^-53 there. */
const LARGEST_EXPONENT = 73786976294838206464;

/** A number carried as the unevaluated sum of two doubles. */
interface DoubleDouble {
  readonly high: number;
  readonly low: number;
}

/** left * right without loss (Dekker's product with Veltkamp's splitting, 1971: no fused multiply-add needed). */
function exactProduct(left: number, right: number): DoubleDouble {
  const high = left * right;
  const leftScaled = left * SPLITTER;
  const leftHigh = leftScaled - (leftScaled - left);
  const leftLow = left - leftHigh;
  const rightScaled = right * SPLITTER;
  const rightHigh = rightScaled - (rightScaled - right);
  const rightLow = right - rightHigh;
  const low = leftLow * rightLow - (high - leftHigh * rightHigh - leftLow * rightHigh - leftHigh * rightLow);
  return { high, low };
}

/** left + right without loss (Knuth's two-sum). */
function exactSum(left: number, right: number): DoubleDouble {
  const high = left + right;
  const virtual = high - left;
  return { high, low: left - (high - virtual) + (right - virtual) };
}

/**
 * log(value) to about 2^-65 of its size, for a finite value above zero: k ln 2 + 2 artanh(s), s = f / (2 + f), with s
 * and the first two terms of the series carried in two doubles and the rest (Taylor's coefficients) in one.
 */
function logarithmInTwoParts(value: number): DoubleDouble {
  const { mantissa, exponent } = splitNearOne(value);
  const f = mantissa - 1;
  const divisor = exactSum(2, f);
  const s = f / divisor.high;
  const back = exactProduct(s, divisor.high);
  const sLow = (f - back.high - back.low - s * divisor.low) / divisor.high;

  const square = exactProduct(s, s);
  const squareLow = square.low + 2 * s * sLow;
  const z = square.high;
  const rest = z * z * s * taylorRest(z);

  const scaled = exactProduct(TWO_THIRDS_HIGH, z);
  const scaledLow = scaled.low + TWO_THIRDS_HIGH * squareLow + TWO_THIRDS_LOW * z;
  const cubic = exactProduct(scaled.high, s);
  const cubicLow = cubic.low + scaledLow * s + scaled.high * sLow;

  const first = exactSum(exponent * LN2_HIGH, 2 * s);
  const second = exactSum(first.high, cubic.high);
  const low = exponent * LN2_LOW + first.low + second.low + (2 * sLow + cubicLow + rest);
  const high = second.high + low;
  return { high, low: second.high - high + low };
}

/** 2/5 + (2/7) z + (2/9) z^2 + …, for z below 0.0295: after twelve terms what is left out is below 2^-64. */
function taylorRest(z: number): number {
  let sum = 2 / 27;
  for (let divisor = 25; divisor >= 5; divisor -= 2) sum = sum * z + 2 / divisor;
  return sum;
}

/**
 * base to the power of exponent for real numbers, the same bits on every engine. Error below 1.5 ulp, and none for
 * integers whose power is at most 2^53 (tested for every base below 3000). Special cases are
 * those of ECMAScript's `Math.pow`: an exponent of zero gives 1 even for NaN; a base of ±1 with an infinite exponent
 * gives NaN; a base below zero needs an integer exponent, else NaN.
 *
 * Formula: e^(y log x) with the logarithm and the product in two doubles (Dekker, A floating-point technique for
 * extending the available precision, 1971).
 */
export function exactPow(base: number, exponent: number): number {
  if (exponent === 0) return 1;
  if (Number.isNaN(base) || Number.isNaN(exponent)) return NaN;
  const magnitude = Math.abs(base);
  if (Math.abs(exponent) === Infinity) {
    if (magnitude === 1) return NaN;
    return magnitude > 1 === exponent > 0 ? Infinity : 0;
  }
  const isInteger = Math.trunc(exponent) === exponent;
  const isNegativeBase = base < 0 || Object.is(base, -0);
  const sign = isNegativeBase && isInteger && Math.abs(exponent % 2) === 1 ? -1 : 1;
  if (magnitude === 0 || magnitude === Infinity) return sign * ((magnitude === 0) === exponent > 0 ? 0 : Infinity);
  if (isNegativeBase && !isInteger) return NaN;
  return sign * positivePower(magnitude, exponent);
}

function positivePower(base: number, exponent: number): number {
  if (base === 1 || exponent === 1) return base;
  if (Math.abs(exponent) > LARGEST_EXPONENT) return base > 1 === exponent > 0 ? Infinity : 0;
  const logarithm = logarithmInTwoParts(base);
  const product = exactProduct(logarithm.high, exponent);
  return exponentialOfSum(product.high, product.low + logarithm.low * exponent);
}
