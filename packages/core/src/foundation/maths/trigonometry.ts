import { reduceByHalfPi } from "./half-pi-reduction.ts";

const QUARTER_PI = 0.7853981633974483;

/* sin(x) = x + S1 x^3 + … + S6 x^13 on [-pi/4, pi/4]: minimax coefficients of FDLIBM (Sun, 1993). */
const S1 = -1.66666666666666324348e-1;
const S2 = 8.33333333332248946124e-3;
const S3 = -1.98412698298579493134e-4;
const S4 = 2.75573137070700676789e-6;
const S5 = -2.50507602534068634195e-8;
const S6 = 1.58969099521155010221e-10;

/* cos(x) = 1 - x^2/2 + C1 x^4 + … + C6 x^14 on [-pi/4, pi/4]: from the same source. */
const C1 = 4.16666666666666019037e-2;
const C2 = -1.38888888888741095749e-3;
const C3 = 2.48015872894767294178e-5;
const C4 = -2.75573143513906633035e-7;
const C5 = 2.0875723212981748279e-9;
const C6 = -1.13596475577881948265e-11;

/** sin(high + low) for an angle of at most about pi/4. */
function sineKernel(high: number, low: number): number {
  const square = high * high;
  const tail = S2 + square * (S3 + square * (S4 + square * (S5 + square * S6)));
  const cube = square * high;
  return high - (square * (0.5 * low - cube * tail) - low - cube * S1);
}

/** cos(high + low) for an angle of at most about pi/4. */
function cosineKernel(high: number, low: number): number {
  const square = high * high;
  const tail = square * (C1 + square * (C2 + square * (C3 + square * (C4 + square * (C5 + square * C6)))));
  const half = 0.5 * square;
  const rounded = 1 - half;
  return rounded + (1 - rounded - half + (square * tail - high * low));
}

/**
 * The sine of an angle in radians, the same bits on every engine. Error below 1 ulp for every finite angle (beyond
 * 1.6 million radians the reduction takes exact integer arithmetic and is slower by a factor of about 20).
 * NaN and infinities give NaN; -0 gives -0.
 *
 * Formula: reduction as in `reduceByHalfPi`, then the odd minimax polynomial of degree 13 of FDLIBM.
 */
export function exactSin(radians: number): number {
  if (Math.abs(radians) <= QUARTER_PI) return radians === 0 ? radians : sineKernel(radians, 0);
  const { quadrant, high, low } = reduceByHalfPi(radians);
  const value = (quadrant & 1) === 0 ? sineKernel(high, low) : cosineKernel(high, low);
  return quadrant < 2 ? value : -value;
}

/**
 * The cosine of an angle in radians, the same bits on every engine. Range and error as for `exactSin`.
 *
 * Formula: reduction as in `reduceByHalfPi`, then the even minimax polynomial of degree 14 of FDLIBM.
 */
export function exactCos(radians: number): number {
  if (Math.abs(radians) <= QUARTER_PI) return cosineKernel(radians, 0);
  const { quadrant, high, low } = reduceByHalfPi(radians);
  const value = (quadrant & 1) === 0 ? cosineKernel(high, low) : sineKernel(high, low);
  return quadrant === 0 || quadrant === 3 ? value : -value;
}

/**
 * The tangent of an angle in radians, the same bits on every engine. Error below 2.5 ulp for every finite angle.
 * NaN and infinities give NaN; -0 gives -0.
 *
 * Formula: the quotient of the sine and cosine kernels on one reduced angle.
 */
export function exactTan(radians: number): number {
  if (radians === 0) return radians;
  const { quadrant, high, low } = reduceByHalfPi(radians);
  const sine = sineKernel(high, low);
  const cosine = cosineKernel(high, low);
  return (quadrant & 1) === 0 ? sine / cosine : -cosine / sine;
}
