import { videoChunk, type VideoChunk, type VideoChunkInput } from "@dreamloop/core";
import { channelsOf, refuse } from "@dreamloop/core/internal";
import { elementCount, floatTensor, isFloatDtype, type Tensor } from "../manifest/tensor.ts";
import type { ImageDeclaration } from "../manifest/world-manifest.ts";

/** Least value and span of a range, as a picture is stored. */
const RANGES: Readonly<Record<VideoChunk["range"], readonly [least: number, span: number]>> = {
  full: [0, 255],
  limited: [16, 219],
  unit: [0, 1],
  signed: [-1, 2],
};

/**
 * A picture as the tensor that a graph takes. `value` is a `VideoChunk` of one frame, or what its factory takes; its size
 * must be that of the tensor. Alpha is left out. Throws `invalid_value`.
 */
export function imageTensor(declaration: ImageDeclaration, value: unknown, path: string): Tensor {
  const picture = videoChunk(value as VideoChunkInput);
  const [height, width] = imageSize(declaration);
  if (picture.frameCount !== 1 || picture.width !== width || picture.height !== height) {
    refuse(path, `one picture of ${width}×${height}`, `${picture.frameCount} of ${picture.width}×${picture.height}`);
  }
  const { dtype, shape, layout, range } = declaration;
  const data = isFloatDtype(dtype) ? new Float32Array(elementCount(shape)) : new Uint8Array(elementCount(shape));
  const [sourceLeast, sourceSpan] = RANGES[picture.range];
  const [least, span] = RANGES[range];
  const read = reader(picture);
  const pixels = width * height;
  const isInteger = !(data instanceof Float32Array);
  for (let pixel = 0; pixel < pixels; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      const scaled = ((read(pixel, channel) - sourceLeast) / sourceSpan) * span + least;
      const at = layout === "chw" ? channel * pixels + pixel : pixel * 3 + channel;
      data[at] = isInteger ? Math.min(255, Math.max(0, Math.round(scaled))) : scaled;
    }
  }
  return data instanceof Float32Array ? floatTensor(dtype, shape, data) : { dtype, shape, data };
}

/** Height and width of the picture that an image input takes. */
export function imageSize({ shape, layout }: ImageDeclaration): readonly [height: number, width: number] {
  const [first = 1, second = 1, third = 1] = shape.slice(-3);
  return layout === "chw" ? [second, third] : [first, second];
}

function reader(picture: VideoChunk): (pixel: number, channel: number) => number {
  const { data, layout } = picture;
  const channels = channelsOf(picture.format);
  const pixels = picture.width * picture.height;
  if (layout === "thwc") return (pixel, channel) => data[pixel * channels + channel];
  // With one frame "tchw" and "cthw" are the same.
  return (pixel, channel) => data[channel * pixels + pixel];
}
