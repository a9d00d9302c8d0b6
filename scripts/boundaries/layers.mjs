import { posix } from "node:path";

/**
 * Judges an import between files of one package by the order of its folders.
 *
 * @param {string} specifier a relative path
 * @param {string} file the importing file, from the package's root
 * @param {readonly string[] | undefined} order folders below `src` from the ground up; undefined: every import is fine
 * @returns {string | undefined} what is wrong with it
 */
export function layerFault(specifier, file, order) {
  if (!order) return undefined;
  const from = folderOf(file, order);
  const to = folderOf(posix.join(posix.dirname(file), specifier), order);
  if (from === undefined || to === undefined || order.indexOf(to) <= order.indexOf(from)) return undefined;
  return `src/${from} may not import from src/${to}, which builds on it; the order is ${order.join(", ")}`;
}

/**
 * @param {string} file from the package's root
 * @param {readonly string[]} order
 */
function folderOf(file, order) {
  return order
    .filter((folder) => file.startsWith(`src/${folder}/`))
    .toSorted((left, right) => right.length - left.length)[0];
}
