import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { callable, finite, oneOf, optional, refuse } from "../foundation/validate/reader.ts";
import { recordFactory } from "../foundation/validate/record.ts";

/** The type and channel order of pixels. */
export const PIXEL_FORMATS = {
  /** Red, green, blue as 8-bit unsigned integers. */
  rgb8: "rgb8",
  /** Red, green, blue, alpha as 8-bit unsigned integers; alpha is not blended. */
  rgba8: "rgba8",
  /** Red, green, blue as 32-bit floats. */
  rgbf32: "rgbf32",
} as const;

/** One of `PIXEL_FORMATS`. */
export type PixelFormat = (typeof PIXEL_FORMATS)[keyof typeof PIXEL_FORMATS];

/** The order of the axes: t = frame, c = channel, h = row, w = column; the last varies fastest. */
export const FRAME_LAYOUTS = {
  /** Packed pixels, frame after frame. */
  thwc: "thwc",
  /** Planes of each frame, frame after frame. */
  tchw: "tchw",
  /** Frames of each channel, channel after channel. */
  cthw: "cthw",
} as const;

/** One of `FRAME_LAYOUTS`. */
export type FrameLayout = (typeof FRAME_LAYOUTS)[keyof typeof FRAME_LAYOUTS];

/** What the numbers mean as colour. Both have the BT.709 primaries and D65 white. */
export const COLOR_SPACES = {
  /** The sRGB transfer function (IEC 61966-2-1). */
  srgb: "srgb",
  /** The BT.709 transfer function. */
  bt709: "bt709",
} as const;

/** One of `COLOR_SPACES`. */
export type ColorSpace = (typeof COLOR_SPACES)[keyof typeof COLOR_SPACES];

/** Which numbers are black and white. */
export const COLOR_RANGES = {
  /** 0 and 255; 8-bit formats only. */
  full: "full",
  /** 16 and 235; 8-bit formats only. */
  limited: "limited",
  /** 0 and 1; float formats only. */
  unit: "unit",
  /** −1 and 1; float formats only. */
  signed: "signed",
} as const;

/** One of `COLOR_RANGES`. */
export type ColorRange = (typeof COLOR_RANGES)[keyof typeof COLOR_RANGES];

/** Pixel data of a chunk. */
export type PixelData = Uint8Array | Uint8ClampedArray | Float32Array;

/** The frames that one step produced. `data` is read-only from the moment a step returns it until it is released. */
export interface VideoChunk {
  /** Pixels a row, 1 to 16,384. */
  readonly width: number;
  /** Rows, 1 to 16,384. */
  readonly height: number;
  /** Frames, at least 1. */
  readonly frameCount: number;
  /** Type and channel order of the pixels. */
  readonly format: PixelFormat;
  /** Order of the axes. */
  readonly layout: FrameLayout;
  /** What the numbers mean. */
  readonly colorSpace: ColorSpace;
  /** Which numbers are black and white. */
  readonly range: ColorRange;
  /** The pixels, carried by reference; exactly as long as the other fields say. */
  readonly data: PixelData;
  /** Called once when nobody needs `data` any longer, so that the session may use the memory again; absent: garbage collection does. */
  readonly release?: () => void;
}

/** What the factory of `VideoChunk` takes; `frameCount` is derived from the data when absent. */
export type VideoChunkInput = Omit<VideoChunk, "frameCount"> & {
  /** Frames, at least 1; derived from the data when absent. */
  readonly frameCount?: number;
};

const size = finite({ integer: true, min: 1, max: 16_384 });

/** Channels a pixel of `format` has. */
export function channelsOf(format: PixelFormat): 3 | 4 {
  return format === PIXEL_FORMATS.rgba8 ? 4 : 3;
}

const make = recordFactory<VideoChunk>(
  "VideoChunk",
  {
    width: size,
    height: size,
    frameCount: finite({ integer: true, min: 1 }),
    format: oneOf(PIXEL_FORMATS),
    layout: oneOf(FRAME_LAYOUTS),
    colorSpace: oneOf(COLOR_SPACES),
    range: oneOf(COLOR_RANGES),
    data: (value, path) => {
      if (value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof Float32Array)
        return value;
      return refuse(path, "a Uint8Array, a Uint8ClampedArray or a Float32Array", value);
    },
    release: optional(callable<() => void>()),
  },
  (chunk) => {
    const isFloat = chunk.format === PIXEL_FORMATS.rgbf32;
    if (isFloat !== chunk.data instanceof Float32Array) {
      refuse(
        "VideoChunk.data",
        isFloat ? "a Float32Array, as the format is rgbf32" : `8-bit data, as the format is ${chunk.format}`,
        chunk.data,
      );
    }
    const floatRange = chunk.range === COLOR_RANGES.unit || chunk.range === COLOR_RANGES.signed;
    if (isFloat !== floatRange) {
      refuse(
        "VideoChunk.range",
        isFloat ? '"unit" or "signed" for float data' : '"full" or "limited" for 8-bit data',
        chunk.range,
      );
    }
    const expected = chunk.width * chunk.height * channelsOf(chunk.format) * chunk.frameCount;
    if (chunk.data.length !== expected) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `VideoChunk.data: expected ${expected} values for ${chunk.frameCount} frame(s) of ${chunk.width}×${chunk.height} ${chunk.format}, found ${chunk.data.length}`,
      );
    }
  },
);

/** Makes a `VideoChunk`; derives or validates the frame count and refuses data, format and range that do not belong together. */
export function videoChunk(input: VideoChunkInput): VideoChunk {
  if (typeof input === "object" && input !== null && input.frameCount === undefined && "data" in input) {
    const width = size(input.width, "VideoChunk.width");
    const height = size(input.height, "VideoChunk.height");
    const frameValues = width * height * channelsOf(oneOf(PIXEL_FORMATS)(input.format, "VideoChunk.format"));
    const frameCount =
      (input.data as PixelData | undefined)?.length === undefined ? 0 : input.data.length / frameValues;
    if (!Number.isSafeInteger(frameCount) || frameCount < 1) {
      refuse("VideoChunk.data", `a whole number of frames of ${frameValues} values`, input.data);
    }
    return make({ ...input, frameCount });
  }
  return make(input);
}
