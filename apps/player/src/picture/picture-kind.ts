/** Kinds of picture that a world starts from, for the field that asks for a file. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp";

/** Bytes at the beginning of a file that tell what it is. */
export const KIND_BYTES = 16;

/** What a file is that is no picture to start from. */
export type PictureFault = "isGif" | "isMarkup" | "isHeicOrVideo" | "isNoPicture" | "unreadable" | "damaged";

/** Why a file is no picture to start from, by what it holds; `undefined` for a PNG, JPEG or WebP, whatever its name says. */
export function pictureFault(start: Uint8Array): PictureFault | undefined {
  const text = String.fromCharCode(...start.subarray(0, KIND_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n") || text.startsWith("\xff\xd8\xff")) return undefined;
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8)) return undefined;
  if (text.startsWith("GIF8")) return "isGif";
  if (text.trimStart().startsWith("<")) return "isMarkup";
  return text.startsWith("ftyp", 4) ? "isHeicOrVideo" : "isNoPicture";
}
