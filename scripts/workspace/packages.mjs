import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The parts of a package.json that the checks read.
 *
 * @typedef {object} Manifest
 * @property {string} [name]
 * @property {string} [version]
 * @property {unknown} [exports]
 * @property {readonly string[]} [workspaces]
 * @property {readonly string[]} [bundleDependencies]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [devDependencies]
 */

/**
 * One workspace of the repository.
 *
 * @typedef {object} Workspace
 * @property {string} name as other packages import it
 * @property {string} path from the root, with forward slashes: `packages/core`
 * @property {string} folder full path
 * @property {Manifest} manifest
 */

/**
 * Lists the workspaces that the root package.json names and that have a package.json.
 *
 * @param {string} root
 * @returns {Workspace[]} in alphabetical order of their paths
 */
export function listWorkspaces(root) {
  const patterns = readPackageManifest(join(root, "package.json")).workspaces ?? [];
  return patterns
    .flatMap((pattern) => (pattern.endsWith("/*") ? childFolders(root, pattern.slice(0, -2)) : [pattern]))
    .filter((path) => existsSync(join(root, path, "package.json")))
    .sort()
    .map((path) => {
      const folder = join(root, path);
      const manifest = readPackageManifest(join(folder, "package.json"));
      return { name: manifest.name ?? path, path, folder, manifest };
    });
}

/**
 * @param {string} path
 * @returns {Manifest}
 */
export function readPackageManifest(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}

/**
 * Lists the files below a folder, without `node_modules` and `dist`.
 *
 * @param {string} folder
 * @returns {string[]} paths relative to the folder, with forward slashes; empty when there is no such folder
 */
export function listFiles(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isFile()) return [entry.name];
    if (!entry.isDirectory() || entry.name === "node_modules" || entry.name === "dist") return [];
    return listFiles(join(folder, entry.name)).map((path) => `${entry.name}/${path}`);
  });
}

/**
 * @param {string} root
 * @param {string} parent
 */
function childFolders(root, parent) {
  const folder = join(root, parent);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${parent}/${entry.name}`);
}
