import { ROOT } from "./setup/run.mjs";
import { removeStagedFiles } from "./pack/stage.mjs";

removeStagedFiles(ROOT);
