import { bundleFaults } from "../pack/bundle.mjs";
import { PUBLISHED_NAME, stageFiles } from "../pack/stage.mjs";
import { ROOT, TaskError } from "../setup/run.mjs";
import { listWorkspaces } from "../workspace/packages.mjs";
import { build } from "./build.mjs";

/** Builds and puts everything in place that the tarball carries. Says nothing: npm's own result goes to standard output. */
export function main() {
  const faults = bundleFaults(PUBLISHED_NAME, listWorkspaces(ROOT));
  if (faults.length > 0) throw new TaskError(faults.join("\n"));
  if (build() !== 0) throw new TaskError("There is nothing to pack.");
  stageFiles(ROOT);
  return 0;
}
