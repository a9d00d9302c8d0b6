/** Kinds of picture that a world starts from, for the field that asks for a file. */
export const PICTURE_TYPES = "image/png,image/jpeg,image/webp";

/** Bytes at the beginning of a file that tell what it is. */
export const KIND_BYTES = 16;

/** Why a file is no picture to start from, in a sentence for the user; `undefined` for a PNG, JPEG or WebP, whatever its name says. */
export function pictureFault(start: Uint8Array): string | undefined {
  const text = String.fromCharCode(...start.subarray(0, KIND_BYTES));
  if (text.startsWith("\x89PNG\r\n\x1a\n") || text.startsWith("\xff\xd8\xff")) return undefined;
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8)) return undefined;
  const found = text.startsWith("GIF8")
    ? "This is a GIF."
    : text.trimStart().startsWith("<")
      ? "This is a drawing or a web page."
      : text.startsWith("ftyp", 4)
        ? "This is a HEIC or AVIF picture, or a video."
        : "This is no picture.";
  return `${found} Choose a PNG, a JPEG or a WebP.`;
}

/** The server's reason as a sentence, without the names that only programs care for. */
export function refusalText(message: string): string {
  const reason = message.replace(/^images(\.[^:]*)?: (picture: )?/, "");
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}
