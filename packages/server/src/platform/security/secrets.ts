import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Bytes of everything that must not be guessed: 192 bits. */
const SECRET_BYTES = 24;

/** A new id or secret that nobody can guess, in letters that are safe in URLs and file names. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

/** Whether two secrets are the same, in a time that does not tell how much of them agrees. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
