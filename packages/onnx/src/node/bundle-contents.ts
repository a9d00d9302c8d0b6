import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BundleFiles } from "../manifest/bundle-files.ts";
import { type BundleContents, memoryFiles } from "../manifest/memory-files.ts";

/** SHA-256 of bytes as 64 lower-case hexadecimal digits. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Contents that were made by a program, such as `toyFlowWorld(sha256Hex)`, as the files of a bundle. */
export function contentFiles(contents: BundleContents, location = "memory"): BundleFiles {
  return memoryFiles({ location, contents, digest: sha256Hex });
}

/** Writes contents that were made by a program into a folder, which is created where it does not exist. */
export async function writeContents(folder: string, contents: BundleContents): Promise<void> {
  for (const [path, bytes] of Object.entries(contents)) {
    const target = join(folder, ...path.split("/"));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}
