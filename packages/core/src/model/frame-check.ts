import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { channelsOf, FRAME_LAYOUTS, type VideoChunk } from "./video-chunk.ts";

/** Statistics are taken on every 16th value: enough to see a broken picture, cheap enough for every frame. */
const SAMPLE_STRIDE = 16;

/** Cheap statistics of one frame, in 0..1 of its range. */
export interface FrameStatistics {
  /** Mean of the sampled values. */
  readonly mean: number;
  /** Variance of the sampled values. */
  readonly variance: number;
  /** Mean absolute difference to the frame before; absent for the first. */
  readonly difference?: number;
}

/**
 * Frames after which a picture of one value that does not change is odd: a world may be dark for a moment, a broken model stays so. More
 * than a second of most worlds.
 */
export const CONSTANT_FRAMES = 30;

/** What the check finds odd without stopping the run. */
export const FRAME_WARNINGS = {
  /** For `CONSTANT_FRAMES` frames all values of all pixels have been one and the same; told once until something else is seen. */
  constant: "constant",
  /** The mean lies outside of the band. */
  meanOutOfBand: "mean_out_of_band",
  /** The variance lies outside of the band. */
  varianceOutOfBand: "variance_out_of_band",
} as const;

/** One of `FRAME_WARNINGS`. */
export type FrameWarning = (typeof FRAME_WARNINGS)[keyof typeof FRAME_WARNINGS];

/**
 * Bands that statistics should stay in, in 0..1 of the range; default: what values can have that exceed their range by no more than 5 %, so
 * mean -0.05 to 1.05 and variance at most 0.3025. Dark and bright pictures are no fault; values outside of the declared range are.
 */
export interface FrameBands {
  /** Least and greatest mean. */
  readonly mean: readonly [number, number];
  /** Least and greatest variance. */
  readonly variance: readonly [number, number];
}

/** The default of `FrameBands`. */
export const DEFAULT_FRAME_BANDS: FrameBands = { mean: [-0.05, 1.05], variance: [0, 0.3025] };

/**
 * Checks frames as they come: float values for NaN and infinity in full, statistics on every 16th value of the last frame, and all of
 * its values where they are one and the same. One instance for each rollout, as it remembers the frame before.
 */
export class FrameChecker {
  readonly #bands: FrameBands;
  #before: Float32Array | undefined;
  #flat: { readonly value: number; readonly frames: number } | undefined;

  /** `bands` default to `DEFAULT_FRAME_BANDS`. */
  constructor(bands: FrameBands = DEFAULT_FRAME_BANDS) {
    this.#bands = bands;
  }

  /** Forgets the frame before; called on a reset. */
  reset(): void {
    this.#before = undefined;
    this.#flat = undefined;
  }

  /** Throws `bad_frame` for NaN or infinity, naming where; otherwise gives the statistics and what is odd about them. */
  check(chunk: VideoChunk): { readonly statistics: FrameStatistics; readonly warnings: readonly FrameWarning[] } {
    if (chunk.data instanceof Float32Array) refuseNonFinite(chunk.data);
    const frameValues = chunk.data.length / chunk.frameCount;
    const samples = Math.ceil(frameValues / SAMPLE_STRIDE);
    const before = this.#before?.length === samples ? this.#before : undefined;
    const kept = before ?? new Float32Array(samples);
    const data = chunk.data;
    let sum = 0;
    let squares = 0;
    let differences = 0;
    // The last frame of a chunk; channel-major layouts are sampled over the whole chunk's tail, which serves as well.
    for (let sample = 0, read = data.length - frameValues; sample < samples; sample += 1, read += SAMPLE_STRIDE) {
      const value = data[read];
      sum += value;
      squares += value * value;
      const difference = value - kept[sample];
      differences += difference < 0 ? -difference : difference;
      kept[sample] = value;
    }
    this.#before = kept;
    const [low, span] = RANGES[chunk.range];
    const rawMean = sum / samples;
    const mean = (rawMean - low) / span;
    const variance = Math.max(0, squares / samples - rawMean * rawMean) / (span * span);
    const difference = before === undefined ? undefined : differences / samples / span;
    return {
      statistics: difference === undefined ? { mean, variance } : { mean, variance, difference },
      warnings: [...this.#constantWarning(chunk), ...this.#bandWarnings(mean, variance)],
    };
  }

  #constantWarning(chunk: VideoChunk): readonly FrameWarning[] {
    const value = flatValue(chunk);
    const framesBefore = this.#flat?.value === value ? (this.#flat?.frames ?? 0) : 0;
    this.#flat = value === undefined ? undefined : { value, frames: framesBefore + chunk.frameCount };
    const isLong = value !== undefined && framesBefore + chunk.frameCount >= CONSTANT_FRAMES;
    return isLong && framesBefore < CONSTANT_FRAMES ? [FRAME_WARNINGS.constant] : [];
  }

  #bandWarnings(mean: number, variance: number): readonly FrameWarning[] {
    const warnings: FrameWarning[] = [];
    if (mean < this.#bands.mean[0] || mean > this.#bands.mean[1]) warnings.push(FRAME_WARNINGS.meanOutOfBand);
    if (variance < this.#bands.variance[0] || variance > this.#bands.variance[1])
      warnings.push(FRAME_WARNINGS.varianceOutOfBand);
    return warnings;
  }
}

/** Least value and span of each range. */
const RANGES: Readonly<Record<VideoChunk["range"], readonly [number, number]>> = {
  full: [0, 255],
  limited: [16, 219],
  unit: [0, 1],
  signed: [-1, 2],
};

function refuseNonFinite(data: Float32Array): void {
  // x · 0 is 0 for every finite x and NaN otherwise, so one sum answers for all values without a branch each.
  let zero = 0;
  for (let index = 0; index < data.length; index += 1) zero += data[index] * 0;
  if (zero === 0) return;
  const at = data.findIndex((value) => !Number.isFinite(value));
  throw new DreamloopError(
    ERROR_CODES.badFrame,
    `VideoChunk.data: expected finite values, found ${String(data[at])} at index ${at} of ${data.length}; the step is discarded and the session stopped`,
    { details: { index: at } },
  );
}

/**
 * The one value that everything in the last frame of a chunk has, in all colours of all pixels, as black and white have; `undefined` when
 * any differs, be it one pixel. Transparency does not count. A chunk with whole colours behind each other is looked at as a whole, as its
 * frames do not lie together. Stops at the first difference, so that only flat pictures cost a pass.
 */
export function flatValue(chunk: VideoChunk): number | undefined {
  const { data, layout } = chunk;
  const frameValues = data.length / chunk.frameCount;
  const start = layout === FRAME_LAYOUTS.cthw ? 0 : data.length - frameValues;
  const values = data.subarray(start);
  const [first] = values;
  if (channelsOf(chunk.format) === 3) return isFlat(values) ? first : undefined;
  if (layout !== FRAME_LAYOUTS.thwc) return isFlat(values.subarray(0, (values.length / 4) * 3)) ? first : undefined;
  for (let index = 0; index < values.length; index += 4) {
    if (values[index] !== first || values[index + 1] !== first || values[index + 2] !== first) return undefined;
  }
  return first;
}

function isFlat(values: VideoChunk["data"]): boolean {
  const [first] = values;
  let index = 0;
  if (!(values instanceof Float32Array)) {
    // Four bytes at a time, from where they are aligned.
    const lead = Math.min((4 - (values.byteOffset % 4)) % 4, values.length);
    for (; index < lead; index += 1) if (values[index] !== first) return false;
    const words = new Uint32Array(values.buffer, values.byteOffset + lead, Math.floor((values.length - lead) / 4));
    const word = first * 0x01010101;
    for (let at = 0; at < words.length; at += 1) if (words[at] !== word) return false;
    index += words.length * 4;
  }
  for (; index < values.length; index += 1) if (values[index] !== first) return false;
  return true;
}
