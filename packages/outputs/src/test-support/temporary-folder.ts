import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Gives a function that makes folders, which are removed after each test. Call it once in a file, with vitest's `afterEach`. */
export function temporaryFolders(afterEach: (remove: () => void) => void): () => string {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), "dreamloop-outputs-"));
    folders.push(folder);
    return folder;
  };
}
