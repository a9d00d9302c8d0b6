import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject } from "@dreamloop/core/internal";

/** A manifest is read only up to this size: 1 MiB. */
export const MAX_PACKAGE_MANIFEST_BYTES = 1024 * 1024;

/** What is read of a package's manifest. */
export interface PackageManifest {
  /** The package's folder. */
  readonly folder: string;
  /** The package's name. */
  readonly name: string;
  /** The package's version. */
  readonly version?: string;
  /** What it declares for Dreamloop, not yet checked. */
  readonly dreamloop?: unknown;
  /** Its entries, not yet checked. */
  readonly exports?: unknown;
  /** Its entry of old, not yet checked. */
  readonly main?: unknown;
}

/** The manifest of the package in `folder`, or nothing when there is none that can be read. Nothing of the package is executed. */
export function readPackageManifest(folder: string): PackageManifest | undefined {
  let parsed: unknown;
  try {
    const file = join(folder, "package.json");
    if (statSync(file).size > MAX_PACKAGE_MANIFEST_BYTES) return undefined;
    parsed = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    // A folder without a manifest, or with a broken one, is no package; others are listed all the same.
    return undefined;
  }
  if (!isPlainObject(parsed) || typeof parsed.name !== "string" || parsed.name.trim() === "") return undefined;
  const { name, version, dreamloop, exports, main } = parsed;
  return { folder, name, ...(typeof version === "string" ? { version } : {}), dreamloop, exports, main };
}

/**
 * The module that an import of the package gives: `exports["."]` under the conditions `node`, `import`, `module-sync` and `default`, else
 * `main`, else `index.js`. Nothing when the manifest names none that is a path.
 */
export function packageEntry({ exports, main }: PackageManifest): string | undefined {
  if (exports !== undefined && exports !== null) {
    const root = isPlainObject(exports) && "." in exports ? exports["."] : exports;
    return exportTarget(root, 0);
  }
  return typeof main === "string" && main.trim() !== "" ? main : "index.js";
}

const CONDITIONS: ReadonlySet<string> = new Set(["node", "import", "module-sync", "default"]);

function exportTarget(entry: unknown, depth: number): string | undefined {
  if (typeof entry === "string") return entry;
  if (depth > 8 || typeof entry !== "object" || entry === null) return undefined;
  const choices: readonly unknown[] = Array.isArray(entry)
    ? (entry as readonly unknown[])
    : Object.entries(entry).flatMap(([condition, target]) => (CONDITIONS.has(condition) ? [target as unknown] : []));
  for (const choice of choices) {
    const target = exportTarget(choice, depth + 1);
    if (target !== undefined) return target;
  }
  return undefined;
}
