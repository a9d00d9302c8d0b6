import { MAX_POSTER_BYTES, POSTER_HEAD_BYTES, posterTypeOf } from "@dreamloop/core";
import { unsafePathReason, type BundleFiles } from "../files/bundle-files.ts";
import { MANIFEST_FILE } from "../manifest/world-schema.ts";
import { FAULT_CODES, type Fault } from "./fault.ts";

/** What is wrong with a world's picture, reading no more than its first bytes; a missing file is found elsewhere. */
export async function posterFaults(files: BundleFiles, path: string | undefined): Promise<readonly Fault[]> {
  if (path === undefined || unsafePathReason(path) !== undefined) return [];
  const facts = await files.stat(path);
  if (facts === undefined) return [];
  const fault = (expected: string, found: string, mend: string): Fault => ({
    code: FAULT_CODES.invalidValue,
    file: MANIFEST_FILE,
    path: "poster",
    expected,
    found,
    mend,
  });
  if (facts.bytes > MAX_POSTER_BYTES) {
    const found = `${path} of ${facts.bytes} bytes`;
    return [fault(`a picture of at most ${MAX_POSTER_BYTES} bytes`, found, "Make it smaller: 640 × 360 is enough.")];
  }
  const head = await files.read(path, { length: Math.min(facts.bytes, POSTER_HEAD_BYTES) });
  if (posterTypeOf(head) !== undefined) return [];
  const found = `${path}, which begins otherwise`;
  return [fault("a PNG, JPEG or WebP picture", found, "Save the picture in one of these formats.")];
}
