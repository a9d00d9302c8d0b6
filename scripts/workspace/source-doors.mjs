import { existsSync } from "node:fs";
import { join } from "node:path";
import { listWorkspaces } from "./packages.mjs";

/**
 * Maps what a program imports from the workspaces to their sources, so that tests and bundles need no build.
 *
 * Each entry of a workspace's `exports` whose file lies in `dist` is found in `src` instead. Longer names come first, since some tools take
 * the first name that fits.
 *
 * @param {string} root
 * @param {{ except?: readonly string[] }} [options] `except` names workspaces that are left out
 * @returns {Record<string, string>} full paths of source files by import specifier: `@dreamloop/onnx/node`
 */
export function sourceDoors(root, { except = [] } = {}) {
  const doors = listWorkspaces(root)
    .filter(({ name }) => !except.includes(name))
    .flatMap(({ name, folder, manifest }) => {
      const entries = Object.entries(/** @type {Record<string, { default?: unknown }>} */ (manifest.exports ?? {}));
      return entries.flatMap(([door, { default: file }]) => {
        if (typeof file !== "string" || !file.startsWith("./dist/")) return [];
        const stem = join(folder, "src", file.slice("./dist/".length).replace(/\.js$/, ""));
        const source = [`${stem}.ts`, `${stem}.tsx`].find((path) => existsSync(path));
        return source === undefined ? [] : [/** @type {[string, string]} */ ([name + door.slice(1), source])];
      });
    });
  return Object.fromEntries(doors.sort(([a], [b]) => b.length - a.length));
}
