import { floorLog2, powerOfTwo } from "./binary-scale.ts";

const SAFE_LARGEST = 1e150;
const SAFE_SMALLEST = 1e-140;

/**
 * The length sqrt(x^2 + y^2 + z^2) of a vector of two or three components (z defaults to 0), the same bits on every
 * engine. Error below 2 ulp; no overflow or underflow on the way. An infinite component gives Infinity even beside NaN,
 * as ECMAScript's `Math.hypot` says; otherwise NaN gives NaN.
 *
 * Formula: the plain sum of squares, scaled by a power of two where a square would leave the range of a double.
 */
export function exactHypot(x: number, y: number, z = 0): number {
  const width = Math.abs(x);
  const height = Math.abs(y);
  const depth = Math.abs(z);
  if (width === Infinity || height === Infinity || depth === Infinity) return Infinity;
  const largest = Math.max(width, height, depth);
  if (Number.isNaN(largest)) return NaN;
  if (largest === 0) return 0;
  if (largest < SAFE_LARGEST && largest > SAFE_SMALLEST) {
    return Math.sqrt(width * width + height * height + depth * depth);
  }
  const exponent = Math.min(1000, Math.max(-1000, floorLog2(largest)));
  const scale = powerOfTwo(-exponent);
  const scaledWidth = width * scale;
  const scaledHeight = height * scale;
  const scaledDepth = depth * scale;
  const length = Math.sqrt(scaledWidth * scaledWidth + scaledHeight * scaledHeight + scaledDepth * scaledDepth);
  return length * powerOfTwo(exponent);
}
