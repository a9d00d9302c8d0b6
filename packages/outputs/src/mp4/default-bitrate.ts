/** Bits for each pixel at the reference area. */
const BITS_PER_PIXEL = 0.25;
/** Area at which that holds, in pixels: 512×288. */
const REFERENCE_AREA = 512 * 288;
/** Least that is asked for, in bits each second: tiny pictures cost little anyway. */
const MIN_BITS_PER_SECOND = 200_000;

/**
 * Bitrate for a file when none is given, in bits each second: a quarter of a bit for each pixel at 512×288, falling with the fourth root
 * of the area, since larger pictures have smoother ones: 1.1 Mbit/s for 512×288 and 8 Mbit/s for 1920×1080 at 30 frames each second.
 */
export function defaultBitrate(options: {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Frames each second. */
  readonly framesPerSecond: number;
}): number {
  const area = options.width * options.height;
  const bits = BITS_PER_PIXEL * area * options.framesPerSecond * (REFERENCE_AREA / area) ** 0.25;
  return Math.max(MIN_BITS_PER_SECOND, Math.round(bits));
}
