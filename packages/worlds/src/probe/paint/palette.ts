import type { RgbColor } from "./raster.ts";

/** The colours of the eight patches, in their order: primaries and their mixtures a step inside the gamut, a skin tone and a mid grey. */
export const PROBE_PATCH_COLORS: readonly RgbColor[] = Object.freeze([
  [192, 48, 48],
  [48, 160, 72],
  [48, 72, 192],
  [40, 160, 176],
  [176, 56, 152],
  [224, 184, 48],
  [224, 176, 144],
  [128, 128, 128],
] as const);

/** The colours of everything else. */
export const PALETTE = {
  /** Background of the frame. */
  paper: [240, 239, 233],
  /** Text and edges on paper. */
  ink: [27, 33, 44],
  /** Labels on paper, lamps and gauges that are off. */
  muted: [122, 126, 131],
  /** Empty lamps and gauges. */
  recess: [218, 217, 209],
  /** Background of the stage. */
  stage: [24, 31, 45],
  /** Lines on the stage. */
  grid: [36, 46, 65],
  /** Axes of the stage. */
  axis: [52, 66, 92],
  /** Dots that depend on the seed and the step. */
  dust: [74, 92, 124],
  /** The object, held lamps, gauges. */
  object: [255, 138, 61],
  /** The object's front. */
  front: [255, 233, 214],
  /** The pointer's ring and pressed lamps. */
  pointer: [88, 210, 196],
  /** The prompt. */
  prompt: [226, 231, 240],
  /** Light cells of the strip and its margin. */
  light: [246, 246, 246],
  /** Dark cells of the strip. */
  dark: [14, 17, 23],
} as const satisfies Readonly<Record<string, RgbColor>>;
