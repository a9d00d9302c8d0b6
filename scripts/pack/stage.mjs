import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listWorkspaces } from "../workspace/packages.mjs";
import { bundledWorkspaces } from "./bundle.mjs";

/** Name of the published package that carries the others. */
export const PUBLISHED_NAME = "dreamloop";

/** Folder of the published package. */
const PACKAGE_PATH = "packages/dreamloop";

/** Files and folders of the root that travel in the published package, where they exist. */
const CARRIED = ["LICENSE", "NOTICE", "worlds"];

/** Where the built player page lies, and the folder of the published package in which the command looks for it. */
const PLAYER = { from: "apps/player/dist", to: "player" };

/** Where the Python package lies, the workspace that runs it, and the folder in which that looks for it. */
const PYTHON = { from: "python", for: "packages/external", to: "python" };

/**
 * The Python package without its tests and what Python leaves behind.
 *
 * @param {string} path
 */
function isShippedPython(path) {
  return !/[\\/](tests|__pycache__|[^\\/]*\.egg-info|\.mypy_cache)$/.test(path);
}

/**
 * Copies everything the published package needs, and that lies elsewhere in the repository, into its folder.
 *
 * The copies are real folders in its own `node_modules`, since npm does not pack the links that workspaces are.
 *
 * @param {string} root
 * @returns {string[]} what was put there, relative to the root
 */
export function stageFiles(root) {
  removeStagedFiles(root);
  const staged = [];
  for (const workspace of bundledWorkspaces(PUBLISHED_NAME, listWorkspaces(root))) {
    const target = `${PACKAGE_PATH}/node_modules/${workspace.name}`;
    mkdirSync(join(root, target), { recursive: true });
    cpSync(join(workspace.folder, "dist"), join(root, target, "dist"), {
      recursive: true,
      filter: (path) => !path.endsWith(".tsbuildinfo"),
    });
    if (workspace.path === PYTHON.for) {
      cpSync(join(root, PYTHON.from), join(root, target, PYTHON.to), { recursive: true, filter: isShippedPython });
    }
    if (existsSync(join(workspace.folder, "schema"))) {
      cpSync(join(workspace.folder, "schema"), join(root, target, "schema"), { recursive: true });
    }
    const { devDependencies: _, ...manifest } = workspace.manifest;
    writeFileSync(join(root, target, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
    staged.push(target);
  }
  for (const path of CARRIED) {
    if (!existsSync(join(root, path))) continue;
    cpSync(join(root, path), join(root, PACKAGE_PATH, path), { recursive: true });
    staged.push(`${PACKAGE_PATH}/${path}`);
  }
  if (existsSync(join(root, PLAYER.from, "index.html"))) {
    const filter = (/** @type {string} */ path) => !path.endsWith(".built");
    cpSync(join(root, PLAYER.from), join(root, PACKAGE_PATH, PLAYER.to), { recursive: true, filter });
    staged.push(`${PACKAGE_PATH}/${PLAYER.to}`);
  }
  return staged;
}

/**
 * Takes the copies away again: while they are there, the `dreamloop` command would load them and not the workspaces.
 *
 * @param {string} root
 */
export function removeStagedFiles(root) {
  for (const path of [...CARRIED, PLAYER.to]) rmSync(join(root, PACKAGE_PATH, path), { recursive: true, force: true });
  const modules = join(root, PACKAGE_PATH, "node_modules");
  for (const workspace of bundledWorkspaces(PUBLISHED_NAME, listWorkspaces(root))) {
    const path = join(modules, workspace.name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) rmSync(path, { recursive: true });
    removeWhenEmpty(dirname(path));
  }
  removeWhenEmpty(modules);
}

/** @param {string} folder */
function removeWhenEmpty(folder) {
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}
