import { ROOT, TaskError } from "./setup/run.mjs";
import { bundleFaults } from "./pack/bundle.mjs";
import { PUBLISHED_NAME, stageFiles } from "./pack/stage.mjs";
import { build } from "./tasks/build.mjs";
import { listWorkspaces } from "./workspace/packages.mjs";

const faults = bundleFaults(PUBLISHED_NAME, listWorkspaces(ROOT));
if (faults.length > 0) throw new TaskError(faults.join("\n"));
if (build() !== 0) throw new TaskError("The build failed, so there is nothing to pack.");
// npm reads its own result from standard output, so nothing is said there.
stageFiles(ROOT);
