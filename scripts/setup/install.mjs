import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { npmCommand, ROOT, run, TaskError } from "./run.mjs";

/**
 * @typedef {{ version?: string, link?: boolean, resolved?: string, optional?: boolean, peer?: boolean, dev?: boolean }} LockEntry
 * @typedef {{ packages?: Record<string, LockEntry> }} Lock
 */

/**
 * Compares what npm recorded when it last installed with what the lock file asks for.
 *
 * Entries that are optional may be absent: npm leaves out those meant for other systems. Links to workspaces are left to `relinkWorkspaces`.
 *
 * @param {Lock} wanted the parsed `package-lock.json`
 * @param {Lock | undefined} installed the parsed `node_modules/.package-lock.json`, undefined when there is none
 * @returns {string | undefined} the first difference in words, or undefined when everything matches
 */
export function installDifference(wanted, installed) {
  if (!installed) return "nothing is installed yet";
  for (const [path, entry] of Object.entries(wanted.packages ?? {})) {
    if (!path.includes("node_modules/") || entry.link) continue;
    const found = installed.packages?.[path];
    if (!found) {
      if (entry.optional) continue;
      return `${path} is not installed`;
    }
    if (found.version !== entry.version) {
      return `${path} is ${found.version ?? "a link"} and should be ${entry.version ?? "unknown"}`;
    }
  }
  return undefined;
}

/**
 * Makes the links in `node_modules` point at the folders that the lock file names: a pull may have moved or added a workspace, or put one
 * in the place of a package. Far quicker than `npm ci`, which would install everything anew for them.
 *
 * @param {Lock} wanted the parsed `package-lock.json`
 * @param {string} root
 * @returns {string[]} the links that were made, as paths from the root
 */
export function relinkWorkspaces(wanted, root) {
  const links = Object.entries(wanted.packages ?? {}).filter(
    ([, { link, resolved }]) => link && resolved !== undefined,
  );
  return links.flatMap(([path, { resolved = "" }]) => {
    const [place, target] = [join(root, path), join(root, resolved)];
    if (!existsSync(target) || (existsSync(place) && realpathSync(place) === realpathSync(target))) return [];
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true });
    const isWindows = process.platform === "win32";
    symlinkSync(isWindows ? target : relative(dirname(place), target), place, isWindows ? "junction" : "dir");
    return [path];
  });
}

/**
 * Installs the locked dependencies when they are missing or differ from the lock file, and renews links to workspaces that have moved.
 *
 * @param {{ say?: (line: string) => void, root?: string }} [options]
 */
export function ensureInstalled({ say = console.log, root = ROOT } = {}) {
  const wanted = /** @type {Lock} */ (readJson(join(root, "package-lock.json")));
  const difference = installDifference(wanted, readJson(join(root, "node_modules", ".package-lock.json")));
  if (difference === undefined) {
    const renewed = relinkWorkspaces(wanted, root);
    if (renewed.length > 0) say(`Renewed links to workspaces: ${renewed.join(", ")}.`);
    return;
  }
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
