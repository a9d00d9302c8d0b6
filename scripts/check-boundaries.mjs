import { boundaryFaults } from "./boundaries/check.mjs";
import { bundleFaults } from "./pack/bundle.mjs";
import { PUBLISHED_NAME } from "./pack/stage.mjs";
import { ROOT } from "./setup/run.mjs";
import { listWorkspaces } from "./workspace/packages.mjs";

const faults = [...boundaryFaults(ROOT), ...bundleFaults(PUBLISHED_NAME, listWorkspaces(ROOT))];
faults.forEach((fault) => console.error(fault));
if (faults.length > 0) {
  console.error(`${faults.length} import ${faults.length === 1 ? "fault" : "faults"}`);
  process.exitCode = 1;
}
