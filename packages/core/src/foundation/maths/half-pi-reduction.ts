import { floorLog2, powerOfTwo } from "./binary-scale.ts";

/** An angle split as quadrant * pi/2 + (high + low), with |high + low| at most about pi/4. */
export interface ReducedAngle {
  /** How many quarter turns were taken off, modulo 4 (0 to 3). */
  readonly quadrant: number;
  /** The remaining angle in radians, rounded to a double. */
  readonly high: number;
  /** What `high` lacks, in radians. */
  readonly low: number;
}

/** Up to this size (2^20 quarter turns, about 1.6 million radians) the products with the parts of pi/2 are exact. */
const CODY_WAITE_LIMIT = 1647099;

const TWO_OVER_PI = 0.6366197723675814;

/* pi/2 cut after 33, 66 and 99 bits, and the rest: an integer below 2^20 times one of the first three is exact. */
const HALF_PI_PART_1 = 1.5707963267341256;
const HALF_PI_PART_2 = 6.077100506303966e-11;
const HALF_PI_PART_3 = 2.0222662487111665e-21;
const HALF_PI_PART_4 = 8.4784276603689e-32;

/** 2/pi, 1280 bits after the binary point: the largest double has its last bit at 2^971, which leaves 256 good bits. */
const TWO_OVER_PI_BITS =
  0xa2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6babf0cfbc209af4361dn;
const TWO_OVER_PI_SCALE = 1280;

/** pi/2, 192 bits after the binary point. */
const HALF_PI_BITS = 0x1921fb54442d18469898cc51701b839a252049c1114cf98e8n;
const FRACTION_SCALE = 256;
const ANGLE_SCALE = FRACTION_SCALE + 192;

/**
 * Takes whole quarter turns off an angle in radians. The remainder is good to about 2^-100 of a radian everywhere,
 * which is a full double for every finite angle. NaN and infinities give a NaN remainder.
 *
 * Formula: up to 1.6 million radians the several-part subtraction of Cody and Waite (Software Manual for the
 * Elementary Functions, 1980); beyond it the fraction of x * 2/pi with as many bits of 2/pi as it takes, the idea of
 * Payne and Hanek (Radian Reduction for Trigonometric Functions, 1983), in integer arithmetic.
 */
export function reduceByHalfPi(angle: number): ReducedAngle {
  if (!(Math.abs(angle) <= CODY_WAITE_LIMIT)) return reduceLargeAngle(angle);
  const turns = Math.round(angle * TWO_OVER_PI);
  const first = angle - turns * HALF_PI_PART_1;
  const secondPart = turns * HALF_PI_PART_2;
  const second = first - secondPart;
  const secondError = differenceError(first, secondPart, second);
  const thirdPart = turns * HALF_PI_PART_3;
  const third = second - thirdPart;
  const thirdError = differenceError(second, thirdPart, third);
  const rest = secondError + thirdError - turns * HALF_PI_PART_4;
  const high = third + rest;
  return { quadrant: turns & 3, high, low: third - high + rest };
}

/** What rounding took from `difference = left - right`, exactly (Knuth's two-sum). */
function differenceError(left: number, right: number, difference: number): number {
  const virtual = left - difference;
  return left - (difference + virtual) + (virtual - right);
}

function reduceLargeAngle(angle: number): ReducedAngle {
  if (!Number.isFinite(angle)) return { quadrant: 0, high: NaN, low: NaN };
  const magnitude = Math.abs(angle);
  const exponent = floorLog2(magnitude) - 52;
  const mantissa = BigInt(magnitude * powerOfTwo(-exponent));
  const shift = BigInt(TWO_OVER_PI_SCALE - exponent);
  const product = mantissa * TWO_OVER_PI_BITS;
  const turns = (product + (1n << (shift - 1n))) >> shift;
  const fraction = (product - (turns << shift)) >> (shift - BigInt(FRACTION_SCALE));
  const remainder = fraction * HALF_PI_BITS;
  const high = Number(remainder);
  const low = Number(remainder - BigInt(high));
  const sign = angle < 0 ? -1 : 1;
  const unit = sign * powerOfTwo(-ANGLE_SCALE);
  return {
    quadrant: (sign * Number(turns & 3n)) & 3,
    high: high * unit,
    low: low * unit,
  };
}
