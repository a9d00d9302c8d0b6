/** Least size of a chunk in bytes, but for the last of an array. */
export const MIN_CHUNK_BYTES = 8 * 1024;
/** Size of most chunks in bytes. */
export const TYPICAL_CHUNK_BYTES = 32 * 1024;
/** Greatest size of a chunk in bytes. */
export const MAX_CHUNK_BYTES = 128 * 1024;

/** Units that the hash at a place depends on: each shifts out after as many others as it has bits. */
const WINDOW = 32;

/** Makes neighbouring values far apart (the golden ratio in 32 bits, from Knuth's multiplicative hashing). */
const SPREAD = 0x9e3779b1;
/** Keeps long stretches of zeros from ending a chunk at every place. */
const OFFSET = 0x7f4a7c15;

/**
 * Where the chunks of an array end, in bytes. Chunks are cut by content and not by place (a "gear" hash, Xia et al. 2016), so that an array whose
 * content has moved, such as a cache whose window has gone on, is cut into the same chunks and shares them with its older self. `elementBytes`
 * is the size of what moves: content is looked at in words of four bytes, and byte by byte where elements are single bytes.
 */
export function chunkEnds(bytes: Uint8Array, elementBytes: number): readonly number[] {
  if (bytes.byteLength <= MIN_CHUNK_BYTES) return bytes.byteLength === 0 ? [] : [bytes.byteLength];
  const unit = elementBytes > 1 && bytes.byteLength % 4 === 0 ? 4 : 1;
  const units = unit === 1 ? bytes : asWords(bytes);
  const ends: number[] = [];
  const [least, most] = [MIN_CHUNK_BYTES / unit, MAX_CHUNK_BYTES / unit];
  // A place ends a chunk when the top bits are all zero, which is so once in as many places as a typical chunk has beyond the least.
  const shift = 32 - Math.round(Math.log2((TYPICAL_CHUNK_BYTES - MIN_CHUNK_BYTES) / unit));
  for (let start = 0; start < units.length;) {
    const last = Math.min(start + most, units.length);
    let hash = 0;
    let at = Math.min(start + least - WINDOW, last);
    for (let warm = Math.min(start + least, last); at < warm; at += 1) hash = mixed(hash, units[at]);
    for (; at < last; at += 1) {
      hash = mixed(hash, units[at]);
      if (hash >>> shift === 0) {
        at += 1;
        break;
      }
    }
    ends.push(at * unit);
    start = at;
  }
  return ends;
}

function mixed(hash: number, value: number): number {
  const spread = Math.imul(value + OFFSET, SPREAD);
  return ((hash << 1) + (spread ^ (spread >>> 15))) | 0;
}

function asWords(bytes: Uint8Array): Int32Array {
  if (bytes.byteOffset % 4 === 0) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  return new Int32Array(bytes.slice().buffer);
}
