import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** The program that starts a worker. */
export const WORKER_PROGRAM = "dreamloop_worker.py";

/** The folder of the Python package: inside this package where it was installed, beside the packages in the repository. */
export function pythonFolder(): string {
  const own = fileURLToPath(new URL("../../python", import.meta.url));
  const shared = fileURLToPath(new URL("../../../../python", import.meta.url));
  const found = [own, shared].find((folder) => existsSync(join(folder, WORKER_PROGRAM)));
  if (found !== undefined) return found;
  throw new DreamloopError(ERROR_CODES.internal, `the Python package of Dreamloop is missing: expected it at ${own}`);
}
