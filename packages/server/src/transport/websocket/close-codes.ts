/** Close codes (RFC 6455, 7.4): those above 4000 are ours. */
export const CLOSE_CODES = { normal: 1000, protocol: 4400, ended: 4410, slow: 4408 } as const;

/** The longest reason of a close in bytes (RFC 6455, 5.5.1). */
const MAX_REASON_BYTES = 123;
const ELLIPSIS = "…";

/** A text as the reason of a close: one that is too long ends behind a word, with an ellipsis. */
export function closeReason(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= MAX_REASON_BYTES) return text;
  const start = bytes
    .subarray(0, MAX_REASON_BYTES - Buffer.byteLength(ELLIPSIS))
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
  const words = text.charAt(start.length) === " " ? start : start.replace(/\s+\S*$/, "");
  return `${words.replace(/[\s,;:.]+$/, "")}${ELLIPSIS}`;
}
