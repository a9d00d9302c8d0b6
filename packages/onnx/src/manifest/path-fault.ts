import { FAULT_CODES, MANIFEST_FILE, type Fault } from "../faults/fault.ts";
import { unsafePathReason, type BundleFiles } from "./bundle-files.ts";

/** What is wrong with a path: it is unsafe, leads out of the bundle, is no file, or nothing is there. `at` is its place in the manifest. */
export async function pathFault(files: BundleFiles, path: string, at: string): Promise<Fault | undefined> {
  const reason = unsafePathReason(path);
  const obstacle = reason === undefined ? await files.obstacle(path) : undefined;
  if (reason !== undefined || obstacle?.leavesBundle === true) {
    return {
      code: FAULT_CODES.pathUnsafe,
      file: MANIFEST_FILE,
      path: at,
      expected: "a path within the bundle, with / between its parts",
      found: `${JSON.stringify(path)}: ${reason ?? `it is ${obstacle?.found}`}`,
      mend: "Put the file into the bundle's folder.",
    };
  }
  if (obstacle === undefined && (await files.stat(path)) !== undefined) return undefined;
  return {
    code: FAULT_CODES.fileMissing,
    file: path,
    path: at,
    expected: "a file",
    found: obstacle?.found ?? "none",
    mend: obstacle === undefined ? "Add the file, or correct its path." : "Put a plain file in its place.",
  };
}
