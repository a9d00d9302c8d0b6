import type { FrameHasher } from "../../rollout/run-observer.ts";
import { refuse } from "../../foundation/validate/reader.ts";

/** An address of content: `sha256:` and 64 hexadecimal digits. */
export const CONTENT_ADDRESS = /^sha256:[0-9a-f]{64}$/;

/** Reads an address of content. */
export function contentAddress(value: unknown, path: string): string {
  return typeof value === "string" && CONTENT_ADDRESS.test(value)
    ? value
    : refuse(path, "sha256: and 64 hexadecimal digits in lower case", value);
}

/** Greatest size of one array in bytes. */
export const MAX_ARRAY_BYTES = 1024 * 1024 * 1024;

/** The address of some content: `sha256:` and its digest. */
export async function contentAddressOf(bytes: Uint8Array, hasher: FrameHasher): Promise<string> {
  const digest = hasher.digest([bytes]);
  return `sha256:${typeof digest === "string" ? digest : await digest}`;
}
