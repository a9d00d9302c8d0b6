const PI = 3.141592653589793;
const PI_LOW = 1.2246467991473532e-16;
const HALF_PI = 1.5707963267948966;
const HALF_PI_LOW = 6.123233995736766e-17;
const QUARTER_PI = 0.7853981633974483;

/* atan(0.5), atan(1), atan(1.5) and pi/2, and what those doubles lack. */
const ARC_HIGH = [0.4636476090008061, QUARTER_PI, 0.982793723247329, HALF_PI] as const;
const ARC_LOW = [2.2698777452961687e-17, 3.061616997868383e-17, 1.3903311033110998e-17, HALF_PI_LOW] as const;

/* atan(x) = x - x (A0 x^2 + A1 x^4 + … + A10 x^22) for |x| < 7/16: coefficients of FDLIBM (Sun, 1993). */
const A0 = 3.33333333333329318027e-1;
const A1 = -1.99999999998764832476e-1;
const A2 = 1.42857142725034663711e-1;
const A3 = -1.1111110405462355788e-1;
const A4 = 9.09088713343650656196e-2;
const A5 = -7.69187620504482999495e-2;
const A6 = 6.66107313738753120669e-2;
const A7 = -5.83357013379057348645e-2;
const A8 = 4.97687799461593236017e-2;
const A9 = -3.6531572744216915527e-2;
const A10 = 1.62858201153657823623e-2;

/** x - atan(x) for |x| < 7/16, the correction that the callers subtract. */
function arcCorrection(x: number): number {
  const z = x * x;
  const w = z * z;
  const even = z * (A0 + w * (A2 + w * (A4 + w * (A6 + w * (A8 + w * A10)))));
  const odd = w * (A1 + w * (A3 + w * (A5 + w * (A7 + w * A9))));
  return x * (even + odd);
}

/**
 * The arc tangent in radians, from -pi/2 to pi/2, the same bits on every engine. Error below 1 ulp. NaN gives NaN;
 * infinities give ±pi/2; -0 gives -0.
 *
 * Formula: atan(x) = atan(c) + atan((x - c) / (1 + c x)) with c of 1/2, 1, 3/2 or infinity (cut points 7/16, 11/16,
 * 19/16, 39/16), then the odd minimax polynomial of degree 23 of FDLIBM.
 */
export function exactAtan(value: number): number {
  const x = Math.abs(value);
  if (x < 0.4375) return x < 1e-9 ? value : value - arcCorrection(value);
  let index: 0 | 1 | 2 | 3;
  let reduced: number;
  if (x < 0.6875) {
    index = 0;
    reduced = (2 * x - 1) / (2 + x);
  } else if (x < 1.1875) {
    index = 1;
    reduced = (x - 1) / (x + 1);
  } else if (x < 2.4375) {
    index = 2;
    reduced = (x - 1.5) / (1 + 1.5 * x);
  } else {
    index = 3;
    reduced = -1 / x;
  }
  const angle = ARC_HIGH[index] - (arcCorrection(reduced) - ARC_LOW[index] - reduced);
  return value < 0 ? -angle : angle;
}

/**
 * The angle of the point (x, y) in radians, from -pi to pi, the same bits on every engine. Error below 2 ulp. Signed
 * zeros and infinities are handled as ECMAScript's `Math.atan2` says; NaN in either gives NaN.
 *
 * Formula: `exactAtan(|y / x|)` brought into the right quadrant, with pi in two parts.
 */
export function exactAtan2(y: number, x: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return NaN;
  const behind = x < 0 || Object.is(x, -0);
  const sign = y < 0 || Object.is(y, -0) ? -1 : 1;
  if (y === 0) return behind ? sign * PI : y;
  if (x === 0) return sign * HALF_PI;
  const steepness = Math.abs(x) === Infinity && Math.abs(y) === Infinity ? 1 : Math.abs(y / x);
  const acute = exactAtan(steepness);
  return sign * (behind ? PI - (acute - PI_LOW) : acute);
}

/**
 * The arc sine in radians, from -pi/2 to pi/2, the same bits on every engine. Error below 3 ulp. Values outside
 * [-1, 1] and NaN give NaN; -0 gives -0.
 *
 * Formula: atan2(x, sqrt((1 - x)(1 + x))).
 */
export function exactAsin(value: number): number {
  if (!(Math.abs(value) <= 1)) return NaN;
  return exactAtan2(value, Math.sqrt((1 - value) * (1 + value)));
}

/**
 * The arc cosine in radians, from 0 to pi, the same bits on every engine. Error below 3 ulp. Values outside [-1, 1]
 * and NaN give NaN.
 *
 * Formula: 2 atan2(sqrt(1 - x), sqrt(1 + x)).
 */
export function exactAcos(value: number): number {
  if (!(Math.abs(value) <= 1)) return NaN;
  return 2 * exactAtan2(Math.sqrt(1 - value), Math.sqrt(1 + value));
}
