import { runWithNodeCheck } from "./setup/node-version.mjs";

runWithNodeCheck(() => import("./tasks/repeat.mjs"));
