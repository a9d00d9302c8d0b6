/** The kinds of picture that are read. */
export const PICTURE_TYPES = {
  /** PNG. */
  png: "png",
  /** JPEG. */
  jpeg: "jpeg",
  /** WebP, one picture. */
  webp: "webp",
} as const;

/** One of `PICTURE_TYPES`. */
export type PictureType = (typeof PICTURE_TYPES)[keyof typeof PICTURE_TYPES];

/** Bytes at the beginning of a picture that tell its kind. */
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const JPEG_START = [0xff, 0xd8, 0xff];
const WEBP_NAME_OFFSET = 8;
const WEBP_CHUNK_OFFSET = 12;
const WEBP_HEADER_BYTES = 16;

/** The kind of a picture by its first bytes, whatever its name or header says; `undefined` for anything else. */
export function pictureType(bytes: Uint8Array): PictureType | undefined {
  if (beginsWith(bytes, PNG_SIGNATURE)) return PICTURE_TYPES.png;
  if (beginsWith(bytes, JPEG_START)) return PICTURE_TYPES.jpeg;
  return isRiffWebp(bytes) && isWholeRiff(bytes) ? PICTURE_TYPES.webp : undefined;
}

function isRiffWebp(bytes: Uint8Array): boolean {
  return beginsWith(bytes, letters("RIFF")) && beginsWith(bytes.subarray(WEBP_NAME_OFFSET), letters("WEBP"));
}

/**
 * Whether the length and the first chunk that a WebP tells of itself are true. Its signature is plain text, so that without this a drawing in XML
 * could stand behind it.
 */
function isWholeRiff(bytes: Uint8Array): boolean {
  if (bytes.byteLength < WEBP_HEADER_BYTES) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const chunk = String.fromCharCode(...bytes.subarray(WEBP_CHUNK_OFFSET, WEBP_HEADER_BYTES));
  return view.getUint32(4, true) + 8 <= bytes.byteLength && /^VP8[ LX]$/.test(chunk);
}

/** What a file that is no such picture seems to be, for a message that helps. */
export function foundInstead(bytes: Uint8Array): string {
  if (bytes.byteLength === 0) return "nothing";
  if (isRiffWebp(bytes)) return "the beginning of a WebP picture and no whole one";
  const text = Buffer.from(bytes.subarray(0, 512)).toString("latin1").trimStart();
  if (text.startsWith("GIF8")) return "a GIF";
  if (/^(<\?xml|<!doctype|<!--|<svg)/i.test(text))
    return /<svg/i.test(text) ? "an SVG drawing" : "a text in XML or HTML";
  if (/^....ftyp/s.test(text)) return /^....ftypavi[fs]/s.test(text) ? "an AVIF picture" : "a HEIC picture or a video";
  if (/^(II\*\0|MM\0\*)/.test(text)) return "a TIFF picture";
  if (text.startsWith("BM")) return "a BMP picture";
  if (text.startsWith("%PDF")) return "a PDF document";
  if (text.startsWith("--")) return "a form; send the picture itself as the body";
  return "something else";
}

function letters(text: string): readonly number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function beginsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
