/**
 * Powers of two and binary exponents, found with multiplications, comparisons and `Math.clz32` only: no view of a
 * number's bytes, so nothing here depends on the byte order of the machine.
 */

const SMALLEST_EXPONENT = -1074;
const LARGEST_EXPONENT = 1023;
const SQRT_TWO = 1.4142135623730951;
const TWO_POW_32 = 4294967296;
const TWO_POW_MINUS_32 = 1 / TWO_POW_32;

/** Every power of two that a double can hold, the subnormal ones included; written once, then only read. */
const POWERS_OF_TWO: Float64Array = (() => {
  const powers = new Float64Array(LARGEST_EXPONENT - SMALLEST_EXPONENT + 1);
  let power = 1;
  for (let exponent = 0; exponent <= LARGEST_EXPONENT; exponent += 1) {
    powers[exponent - SMALLEST_EXPONENT] = power;
    power *= 2;
  }
  power = 1;
  for (let exponent = 0; exponent >= SMALLEST_EXPONENT; exponent -= 1) {
    powers[exponent - SMALLEST_EXPONENT] = power;
    power /= 2;
  }
  return powers;
})();

/** The double 2^exponent, exact, for an integer exponent from -1074 to 1023. */
export function powerOfTwo(exponent: number): number {
  return POWERS_OF_TWO[exponent - SMALLEST_EXPONENT];
}

/** The integer e with 2^e <= value < 2^(e+1), for a finite value above zero, subnormal ones included. */
export function floorLog2(value: number): number {
  let scaled = value;
  let exponent = 0;
  while (scaled >= TWO_POW_32) {
    scaled *= TWO_POW_MINUS_32;
    exponent += 32;
  }
  while (scaled < 1) {
    scaled *= TWO_POW_32;
    exponent -= 32;
  }
  return exponent + 31 - Math.clz32(scaled);
}

/** A number above zero as mantissa * 2^exponent, exactly. */
export interface SplitNumber {
  /** From sqrt(1/2) to sqrt(2), so that its logarithm is small. */
  readonly mantissa: number;
  /** An integer from -1074 to 1024. */
  readonly exponent: number;
}

/** Splits a finite value above zero, subnormal ones included, into a mantissa near one and an exponent. */
export function splitNearOne(value: number): SplitNumber {
  const exponent = floorLog2(value);
  // 2^1074 is no double, so a subnormal value is brought up in two products.
  const mantissa =
    exponent < -1022 ? value * powerOfTwo(100) * powerOfTwo(-exponent - 100) : value * powerOfTwo(-exponent);
  return mantissa > SQRT_TWO ? { mantissa: mantissa * 0.5, exponent: exponent + 1 } : { mantissa, exponent };
}

/**
 * value * 2^exponent with a single rounding, for an integer exponent between -2098 and 2046 and a value near one.
 * A result below the normal range is reached through one exact product, so that it isn't rounded twice.
 */
export function scaleByPowerOfTwo(value: number, exponent: number): number {
  if (exponent > LARGEST_EXPONENT)
    return value * powerOfTwo(LARGEST_EXPONENT) * powerOfTwo(exponent - LARGEST_EXPONENT);
  if (exponent < -1020) return value * powerOfTwo(Math.max(exponent + 1024, SMALLEST_EXPONENT)) * powerOfTwo(-1024);
  return value * powerOfTwo(exponent);
}
