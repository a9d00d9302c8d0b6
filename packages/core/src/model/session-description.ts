import { finite, flag, isPlainObject, oneOf, refuse, text, withDefault } from "../foundation/validate/reader.ts";
import { recordFactory } from "../foundation/validate/record.ts";
import {
  COLOR_RANGES,
  COLOR_SPACES,
  FRAME_LAYOUTS,
  PIXEL_FORMATS,
  type ColorRange,
  type ColorSpace,
  type FrameLayout,
  type PixelFormat,
} from "./video-chunk.ts";

/** What a session will deliver; targets are opened with it. */
export interface SessionDescription {
  /** The world that runs; not blank. */
  readonly worldId: string;
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The world's own rate in frames per second of its timeline, above 0. */
  readonly framesPerSecond: number;
  /** Frames of each step; default 1. */
  readonly framesPerStep: number;
  /** Frames of the first step after a start or reset; default `framesPerStep`. */
  readonly firstStepFrames: number;
  /** Type and channel order of pixels; default `rgb8`. */
  readonly format: PixelFormat;
  /** Order of the axes; default `thwc`. */
  readonly layout: FrameLayout;
  /** What the numbers mean; default `srgb`. */
  readonly colorSpace: ColorSpace;
  /** Which numbers are black and white; default `full`, or `unit` for float frames. */
  readonly range: ColorRange;
  /** Steps between an input and the first frame that shows it, beyond the next one; default 0. */
  readonly inputLatencySteps: number;
  /** Whether the same inputs and seed give the same frames on the same machine; default false. */
  readonly deterministic: boolean;
}

/** What the factory of `SessionDescription` takes. */
export type SessionDescriptionInput = Partial<SessionDescription> &
  Pick<SessionDescription, "worldId" | "width" | "height" | "framesPerSecond">;

const count = finite({ integer: true, min: 1, max: 16_384 });

const make = recordFactory<SessionDescription>(
  "SessionDescription",
  {
    worldId: text({ maxLength: 200 }),
    width: count,
    height: count,
    framesPerSecond: finite({ min: 0, aboveMin: true, max: 1000 }),
    framesPerStep: withDefault(count, 1),
    firstStepFrames: withDefault(count, 0),
    format: withDefault(oneOf(PIXEL_FORMATS), PIXEL_FORMATS.rgb8),
    layout: withDefault(oneOf(FRAME_LAYOUTS), FRAME_LAYOUTS.thwc),
    colorSpace: withDefault(oneOf(COLOR_SPACES), COLOR_SPACES.srgb),
    range: withDefault(oneOf(COLOR_RANGES), COLOR_RANGES.full),
    inputLatencySteps: withDefault(finite({ integer: true, min: 0, max: 1000 }), 0),
    deterministic: withDefault(flag, false),
  },
  (description) => {
    const isFloat = description.format === PIXEL_FORMATS.rgbf32;
    const isFloatRange = description.range === COLOR_RANGES.unit || description.range === COLOR_RANGES.signed;
    if (isFloat !== isFloatRange) {
      const allowed = isFloat ? '"unit" or "signed" for float frames' : '"full" or "limited" for 8-bit frames';
      refuse("SessionDescription.range", allowed, description.range);
    }
    if (description.firstStepFrames === 0)
      (description as { firstStepFrames: number }).firstStepFrames = description.framesPerStep;
  },
);

/** Makes a `SessionDescription` with defaults; refuses sizes and rates that are not above 0. */
export function sessionDescription(input: SessionDescriptionInput): SessionDescription {
  // The default range depends on the format.
  const isBareFloat = isPlainObject(input) && input.format === PIXEL_FORMATS.rgbf32 && input.range === undefined;
  return make(isBareFloat ? { ...input, range: COLOR_RANGES.unit } : input);
}

/** Frames that the step with this index delivers. */
export function framesOfStep(description: SessionDescription, stepIndex: number): number {
  return stepIndex === 0 ? description.firstStepFrames : description.framesPerStep;
}
