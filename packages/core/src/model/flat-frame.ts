import { channelsOf, FRAME_LAYOUTS, type VideoChunk } from "./video-chunk.ts";

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
