/** Close codes (RFC 6455, 7.4): those above 4000 are ours. */
export const CLOSE_CODES = { normal: 1000, protocol: 4400, ended: 4410, slow: 4408 } as const;

/** A text as the reason of a close, which has at most 123 bytes (RFC 6455, 5.5.1). */
export function closeReason(text: string): string {
  return Buffer.from(text)
    .subarray(0, 120)
    .toString("utf8")
    .replace(/\uFFFD+$/, "");
}
