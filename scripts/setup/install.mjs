import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { npmCommand, ROOT, run, TaskError } from "./run.mjs";

/**
 * @typedef {{ version?: string, link?: boolean, optional?: boolean, peer?: boolean, dev?: boolean }} LockEntry
 * @typedef {{ packages?: Record<string, LockEntry> }} Lock
 */

/**
 * Compares what npm recorded when it last installed with what the lock file asks for.
 *
 * Entries that are optional may be absent: npm leaves out those meant for other systems.
 *
 * @param {Lock} wanted the parsed `package-lock.json`
 * @param {Lock | undefined} installed the parsed `node_modules/.package-lock.json`, undefined when there is none
 * @returns {string | undefined} the first difference in words, or undefined when everything matches
 */
export function installDifference(wanted, installed) {
  if (!installed) return "nothing is installed yet";
  for (const [path, entry] of Object.entries(wanted.packages ?? {})) {
    if (!path.includes("node_modules/")) continue;
    const found = installed.packages?.[path];
    if (!found) {
      if (entry.optional) continue;
      return `${path} is not installed`;
    }
    if (!entry.link && found.version !== entry.version) {
      return `${path} is ${found.version ?? "a link"} and should be ${entry.version ?? "a link"}`;
    }
  }
  return undefined;
}

/**
 * Installs the locked dependencies when they are missing or differ from the lock file.
 *
 * @param {{ say?: (line: string) => void, root?: string }} [options]
 */
export function ensureInstalled({ say = console.log, root = ROOT } = {}) {
  const difference = installDifference(
    /** @type {Lock} */ (readJson(join(root, "package-lock.json"))),
    readJson(join(root, "node_modules", ".package-lock.json")),
  );
  if (difference === undefined) return;
  say(`Installing dependencies with npm ci (${difference}).`);
  const [command, ...args] = npmCommand();
  const code = run(command, [...args, "ci", "--no-audit", "--no-fund"], { cwd: root });
  if (code !== 0) throw new TaskError(`npm ci failed with exit code ${code}; its output is above.`);
}

/**
 * @param {string} path
 * @returns {Lock | undefined}
 */
function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}
