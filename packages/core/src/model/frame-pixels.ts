import { finite } from "../foundation/validate/reader.ts";
import { channelsOf, COLOR_RANGES, FRAME_LAYOUTS, PIXEL_FORMATS, videoChunk, type VideoChunk } from "./video-chunk.ts";

/** Strides of one frame of a chunk, in values of `data`. */
interface FrameStrides {
  readonly start: number;
  readonly channel: number;
  readonly pixel: number;
}

function stridesOf(chunk: VideoChunk, frameIndex: number): FrameStrides {
  const pixels = chunk.width * chunk.height;
  const channels = channelsOf(chunk.format);
  switch (chunk.layout) {
    case FRAME_LAYOUTS.thwc:
      return { start: frameIndex * pixels * channels, channel: 1, pixel: channels };
    case FRAME_LAYOUTS.tchw:
      return { start: frameIndex * pixels * channels, channel: pixels, pixel: 1 };
    case FRAME_LAYOUTS.cthw:
      return { start: frameIndex * pixels, channel: pixels * chunk.frameCount, pixel: 1 };
  }
}

/** Whether the chunk's memory already is what `frameRgb8` gives. */
function isPackedRgb8(chunk: VideoChunk): boolean {
  return (
    chunk.format === PIXEL_FORMATS.rgb8 && chunk.layout === FRAME_LAYOUTS.thwc && chunk.range === COLOR_RANGES.full
  );
}

/**
 * One frame as packed full-range RGB8, row by row. A view of the chunk's memory where that is already so, else a copy (written
 * to `into` when given: `width × height × 3` bytes). Floats are scaled, clamped and rounded half up; limited range is
 * stretched by 255/219; alpha is left out. Throws `invalid_value` when `frameIndex` is outside of the chunk.
 */
export function frameRgb8(chunk: VideoChunk, frameIndex: number, into?: Uint8Array): Uint8Array {
  finite({ integer: true, min: 0, max: chunk.frameCount - 1 })(frameIndex, "frameIndex");
  const frameBytes = chunk.width * chunk.height * 3;
  if (isPackedRgb8(chunk)) {
    const bytes = chunk.data as Uint8Array;
    const view = new Uint8Array(bytes.buffer, bytes.byteOffset + frameIndex * frameBytes, frameBytes);
    if (into === undefined) return view;
    into.set(view);
    return into;
  }
  const target = into ?? new Uint8Array(frameBytes);
  const { start, channel, pixel } = stridesOf(chunk, frameIndex);
  const [scale, offset] = SCALES[chunk.range];
  const data = chunk.data;
  let write = 0;
  for (let read = start, last = start + chunk.width * chunk.height * pixel; read < last; read += pixel) {
    for (let c = 0; c < 3; c += 1) {
      const value = data[read + c * channel] * scale + offset;
      target[write] = value <= 0 ? 0 : value >= 255 ? 255 : Math.floor(value + 0.5);
      write += 1;
    }
  }
  return target;
}

/** From a stored value to 0..255: multiply, then add. */
const SCALES: Readonly<Record<VideoChunk["range"], readonly [number, number]>> = {
  full: [1, 0],
  limited: [255 / 219, (-16 * 255) / 219],
  unit: [255, 0],
  signed: [127.5, 127.5],
};

/**
 * What a frame hash is made over: width and height as 32-bit little-endian numbers, the ASCII letters `rgb8`, then the packed
 * RGB8 pixels. The digest is SHA-256 over the parts joined.
 */
export function frameHashInput(chunk: VideoChunk, frameIndex: number): readonly Uint8Array[] {
  const header = new Uint8Array(12);
  const view = new DataView(header.buffer);
  view.setUint32(0, chunk.width, true);
  view.setUint32(4, chunk.height, true);
  header.set([0x72, 0x67, 0x62, 0x38], 8);
  return [header, frameRgb8(chunk, frameIndex)];
}

/**
 * A chunk of some of the frames, sharing the memory where the layout allows (`thwc`, `tchw`), else a copy. Its `release` is not set:
 * who made the slice keeps the whole chunk alive.
 */
export function sliceFrames(chunk: VideoChunk, start: number, count: number): VideoChunk {
  finite({ integer: true, min: 0, max: chunk.frameCount - 1 })(start, "start");
  finite({ integer: true, min: 1, max: chunk.frameCount - start })(count, "count");
  const { release: _release, ...rest } = chunk;
  if (start === 0 && count === chunk.frameCount) return videoChunk(rest);
  const frameValues = chunk.width * chunk.height * channelsOf(chunk.format);
  if (chunk.layout !== FRAME_LAYOUTS.cthw) {
    const data = chunk.data.subarray(start * frameValues, (start + count) * frameValues);
    return videoChunk({ ...rest, frameCount: count, data });
  }
  const pixels = chunk.width * chunk.height;
  const data = chunk.data.slice(0, count * frameValues);
  for (let c = 0; c < channelsOf(chunk.format); c += 1) {
    const from = (c * chunk.frameCount + start) * pixels;
    data.set(chunk.data.subarray(from, from + count * pixels), c * count * pixels);
  }
  return videoChunk({ ...rest, frameCount: count, data });
}
