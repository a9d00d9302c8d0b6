import { existsSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

/**
 * Finds compiled files whose source is gone. Only pairs of `.js` and `.d.ts` count, which is what the compiler writes;
 * other files in `dist` belong to other build steps.
 *
 * @param {string} folder a package's folder, with `src` and `dist`
 * @returns {string[]} full paths
 */
export function staleOutputs(folder) {
  const dist = join(folder, "dist");
  if (!existsSync(dist)) return [];
  return readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".d.ts"))
    .map((entry) => join(entry.parentPath, entry.name).slice(0, -".d.ts".length))
    .filter((stem) => existsSync(`${stem}.js`) && !hasSource(join(folder, "src", relative(dist, stem))))
    .flatMap((stem) => [`${stem}.js`, `${stem}.d.ts`]);
}

/** @param {string} stem */
function hasSource(stem) {
  return existsSync(`${stem}.ts`) || existsSync(`${stem}.tsx`);
}
