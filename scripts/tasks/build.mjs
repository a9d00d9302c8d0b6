import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureInstalled } from "../setup/install.mjs";
import { ROOT, runBin } from "../setup/run.mjs";
import { listFiles, listWorkspaces } from "../workspace/packages.mjs";
import { staleOutputs } from "../workspace/stale-outputs.mjs";
import { removeStagedFiles } from "../pack/stage.mjs";

/**
 * A part of the build. Steps run in order, and each decides by itself whether anything has to be done.
 *
 * @typedef {object} BuildStep
 * @property {string} name
 * @property {() => number} run returns an exit code
 */

/** @type {readonly BuildStep[]} */
const STEPS = [
  { name: "left-overs", run: removeLeftOvers },
  { name: "packages", run: () => runBin("typescript", "tsc", ["-b", "tsconfig.json"]) },
  { name: "apps/player", run: () => buildWithVite("apps/player") },
];

/** Builds everything that is out of date. */
export function main() {
  ensureInstalled();
  return build();
}

/** @returns {number} the exit code of the first step that failed, else 0 */
export function build() {
  for (const step of STEPS) {
    const code = step.run();
    if (code !== 0) {
      console.error(`The build failed at its step "${step.name}".`);
      return code;
    }
  }
  return 0;
}

/** Compiled files outlive their deleted sources, and an interrupted `npm pack` leaves its copies: both would be used. */
function removeLeftOvers() {
  for (const workspace of listWorkspaces(ROOT)) {
    for (const path of staleOutputs(workspace.folder)) rmSync(path);
  }
  removeStagedFiles(ROOT);
  return 0;
}

/** @param {string} path */
function buildWithVite(path) {
  const folder = join(ROOT, path);
  if (!existsSync(join(folder, "package.json"))) return 0;
  const stamp = join(folder, "dist", ".built");
  if (existsSync(stamp) && newestChange([folder, join(ROOT, "packages")]) <= statSync(stamp).mtimeMs) return 0;
  const code = runBin("vite", "vite", ["build"], { cwd: folder });
  if (code !== 0) return code;
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(stamp, "");
  return 0;
}

/** @param {readonly string[]} folders */
function newestChange(folders) {
  const times = folders.flatMap((folder) => listFiles(folder).map((path) => statSync(join(folder, path)).mtimeMs));
  return Math.max(0, ...times);
}
