import type { FrameLayout, PixelData, PixelFormat } from "@dreamloop/core";

const UNIT_OF_BYTE = Float32Array.from({ length: 256 }, (_, value) => value / 255);

/** How the pixels of a chunk are laid out. */
export interface ChunkShape {
  /** Type and channel order. */
  readonly format: PixelFormat;
  /** Order of the axes. */
  readonly layout: FrameLayout;
  /** Frames in the chunk. */
  readonly frameCount: number;
  /** Pixels of a frame. */
  readonly framePixels: number;
}

/** Whether a frame of this shape is painted in place: packed 8-bit RGB. */
export function isPackedRgb(shape: Pick<ChunkShape, "format" | "layout">): boolean {
  return shape.format === "rgb8" && shape.layout === "thwc";
}

/** A buffer for a chunk of this shape. */
export function allocateChunk(shape: ChunkShape): PixelData {
  const values = chunkLength(shape);
  return shape.format === "rgbf32" ? new Float32Array(values) : new Uint8Array(values);
}

/** How many values a chunk has. */
export function chunkLength({ format, frameCount, framePixels }: ChunkShape): number {
  return framePixels * frameCount * (format === "rgba8" ? 4 : 3);
}

/** Copies one packed 8-bit RGB frame into its place in a chunk; 8-bit values become 0 to 1 as floats, alpha is opaque. */
export function placeFrame(rgb: Uint8Array, frame: number, target: PixelData, shape: ChunkShape): void {
  const { format, layout, frameCount, framePixels } = shape;
  const channels = format === "rgba8" ? 4 : 3;
  if (layout === "thwc") {
    placePacked(rgb, target, frame * framePixels * channels, format);
    return;
  }
  const values = format === "rgbf32" ? UNIT_OF_BYTE : undefined;
  for (let channel = 0; channel < channels; channel += 1) {
    const plane = layout === "tchw" ? frame * channels + channel : channel * frameCount + frame;
    const start = plane * framePixels;
    if (channel === 3) target.fill(255, start, start + framePixels);
    else placePlane(rgb, channel, target, start, framePixels, values);
  }
}

function placePacked(rgb: Uint8Array, target: PixelData, start: number, format: PixelFormat): void {
  if (format === "rgb8") target.set(rgb, start);
  else if (format === "rgbf32") {
    for (let index = 0; index < rgb.length; index += 1) target[start + index] = UNIT_OF_BYTE[rgb[index]];
  } else {
    for (let from = 0, to = start; from < rgb.length; from += 3, to += 4) {
      target[to] = rgb[from];
      target[to + 1] = rgb[from + 1];
      target[to + 2] = rgb[from + 2];
      target[to + 3] = 255;
    }
  }
}

function placePlane(
  rgb: Uint8Array,
  channel: number,
  target: PixelData,
  start: number,
  framePixels: number,
  values: Float32Array | undefined,
): void {
  for (let pixel = 0, from = channel; pixel < framePixels; pixel += 1, from += 3) {
    target[start + pixel] = values === undefined ? rgb[from] : values[rgb[from]];
  }
}
