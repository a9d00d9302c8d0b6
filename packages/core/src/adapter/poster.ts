/** The largest picture of a world that is served with it, in bytes: 1 MiB. */
export const MAX_POSTER_BYTES = 1_048_576;

/** Types of pictures that a world may have. */
export const POSTER_TYPES = {
  /** PNG. */
  png: "image/png",
  /** JPEG. */
  jpeg: "image/jpeg",
  /** WebP. */
  webp: "image/webp",
} as const;

/** One of `POSTER_TYPES`. */
export type PosterType = (typeof POSTER_TYPES)[keyof typeof POSTER_TYPES];

/** Bytes at the beginning of a file from which `posterTypeOf` knows its type. */
export const POSTER_HEAD_BYTES = 12;

const PNG_MARK = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG_MARK = [0xff, 0xd8, 0xff];
const RIFF_MARK = [0x52, 0x49, 0x46, 0x46];
const WEBP_MARK = [0x57, 0x45, 0x42, 0x50];

/** The type of a picture by its first bytes, whatever its name says; absent for anything else. */
export function posterTypeOf(bytes: Uint8Array): PosterType | undefined {
  const hasMark = (mark: readonly number[], offset = 0): boolean =>
    mark.every((byte, index) => bytes[offset + index] === byte);
  if (hasMark(PNG_MARK)) return POSTER_TYPES.png;
  if (hasMark(JPEG_MARK)) return POSTER_TYPES.jpeg;
  return hasMark(RIFF_MARK) && hasMark(WEBP_MARK, 8) ? POSTER_TYPES.webp : undefined;
}
