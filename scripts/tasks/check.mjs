import { ensureInstalled } from "../setup/install.mjs";
import { ROOT, run, runBin } from "../setup/run.mjs";
import { build } from "./build.mjs";
import { runSteps } from "./steps.mjs";

/** Files whose content has not changed since they passed are not parsed again. */
const PRETTIER_CACHE = ["--cache", "--cache-strategy=content", "--cache-location=.cache/prettier"];

/** @type {readonly import("./steps.mjs").Step[]} */
const STEPS = [
  {
    name: "format",
    run: () => runBin("prettier", "prettier", ["--check", "--log-level=warn", ...PRETTIER_CACHE, "."]),
  },
  { name: "types", run: () => build() || runBin("typescript", "tsc", ["-p", "tsconfig.check.json"]) },
  { name: "lint", run: () => runBin("eslint", "eslint", ["."]) },
  { name: "boundaries", run: () => run(process.execPath, ["scripts/check-boundaries.mjs"], { cwd: ROOT }) },
  { name: "docs", run: () => run(process.execPath, ["scripts/check-docs.mjs"], { cwd: ROOT }) },
  { name: "unused", run: () => runBin("knip", "knip", ["--no-progress", "--no-config-hints"]) },
];

/**
 * Everything about the sources that a machine can judge without running them.
 *
 * @param {string[]} args names of steps; none means all
 */
export function main(args) {
  ensureInstalled();
  return runSteps(STEPS, { only: args });
}
