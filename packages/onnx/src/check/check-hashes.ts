import { throwIfCancelled } from "@dreamloop/core";
import { unsafePathReason, type BundleFiles } from "../manifest/bundle-files.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import { FAULT_CODES, type Fault } from "../faults/fault.ts";

/** How hashes are checked. */
export interface HashCheckOptions {
  /** Told how much is done, 0 to 1. */
  readonly onProgress?: ((fraction: number) => void) | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/** The second phase of a check: the SHA-256 of every file. Files that are not there are left to the first phase. */
export async function checkHashes(
  files: BundleFiles,
  manifest: Pick<WorldManifest, "files">,
  { onProgress, signal }: HashCheckOptions = {},
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const entries = Object.entries(manifest.files);
  const total = entries.reduce((sum, [, { bytes }]) => sum + bytes, 0);
  let before = 0;
  const tell = (done: number): void => onProgress?.(total === 0 ? 1 : Math.min(1, (before + done) / total));
  for (const [path, { bytes, sha256 }] of entries) {
    throwIfCancelled(signal, "the check of the hashes");
    if (unsafePathReason(path) === undefined && (await files.stat(path)) !== undefined) {
      const found = await files.sha256(path, { onProgress: tell, ...(signal === undefined ? {} : { signal }) });
      if (found !== sha256) {
        faults.push({
          code: FAULT_CODES.hash,
          file: path,
          path: `files[${JSON.stringify(path)}].sha256`,
          expected: sha256,
          found,
          mend: "The file is damaged or was changed: copy it again, or write the new hash if the change is yours.",
        });
      }
    }
    before += bytes;
    tell(0);
  }
  return faults;
}
