import { readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorToRecord } from "@dreamloop/core/internal";
import { declaredWorlds, type DeclaredWorld } from "./declared-worlds.ts";
import { readPackageManifest, type PackageManifest } from "./package-manifest.ts";

/** Folders that are looked at from the working directory upward, at most. */
export const MAX_PARENT_FOLDERS = 64;

/** Packages that are looked at in one search, at most. */
export const MAX_SEARCHED_PACKAGES = 20_000;

/** A declaration that cannot be used. */
export interface DiscoveryProblem {
  /** The package. */
  readonly packageName: string;
  /** The package's folder. */
  readonly folder: string;
  /** What is wrong with it. */
  readonly message: string;
}

/** What a search found. */
export interface InstalledWorlds {
  /** Worlds by package name and in the order of declaration. */
  readonly worlds: readonly DeclaredWorld[];
  /** Declarations that cannot be used; they keep nobody else's from being listed. */
  readonly problems: readonly DiscoveryProblem[];
  /** Whether the search ended at `MAX_SEARCHED_PACKAGES`. */
  readonly truncated: boolean;
}

/**
 * Lists the worlds that installed packages declare, in every `node_modules` from `cwd` upward, scoped packages included. Only manifests are
 * read, no code runs. Of a package that is installed at several places the nearest counts, as for an import.
 */
export function installedWorlds(cwd: string): InstalledWorlds {
  const worlds: DeclaredWorld[] = [];
  const problems: DiscoveryProblem[] = [];
  const seen = new Set<string>();
  let searched = 0;
  for (const modules of moduleFolders(cwd)) {
    for (const name of packageNames(modules)) {
      if (seen.has(name)) continue;
      seen.add(name);
      searched += 1;
      if (searched > MAX_SEARCHED_PACKAGES) return sorted({ worlds, problems, truncated: true });
      const manifest = readPackageManifest(join(modules, name));
      if (manifest === undefined) continue;
      try {
        worlds.push(...declaredWorlds(manifest));
      } catch (error) {
        problems.push({ packageName: name, folder: manifest.folder, message: errorToRecord(error).message });
      }
    }
  }
  return sorted({ worlds, problems, truncated: false });
}

/** The manifest of the package of that name that is nearest to `cwd`, or nothing. */
export function installedPackage(name: string, cwd: string): PackageManifest | undefined {
  if (!/^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name)) return undefined;
  for (const modules of moduleFolders(cwd)) {
    const manifest = readPackageManifest(join(modules, name));
    if (manifest !== undefined) return manifest;
  }
  return undefined;
}

function moduleFolders(cwd: string): readonly string[] {
  const folders: string[] = [];
  let folder = resolve(cwd);
  for (let level = 0; level < MAX_PARENT_FOLDERS; level += 1) {
    folders.push(join(folder, "node_modules"));
    const parent = dirname(folder);
    if (parent === folder) break;
    folder = parent;
  }
  return folders;
}

/** Names of the packages in a `node_modules`, those in scopes as `@scope/name`. */
function packageNames(modules: string): readonly string[] {
  return namesIn(modules).flatMap((name) => {
    if (name.startsWith(".")) return [];
    return name.startsWith("@") ? namesIn(join(modules, name)).map((inner) => `${name}/${inner}`) : [name];
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Most of the folders upward have no node_modules.
    return [];
  }
}

function sorted({ worlds, problems, truncated }: InstalledWorlds): InstalledWorlds {
  const byPackage = (first: { readonly packageName: string }, second: { readonly packageName: string }): number =>
    first.packageName < second.packageName ? -1 : first.packageName > second.packageName ? 1 : 0;
  return { worlds: [...worlds].sort(byPackage), problems: [...problems].sort(byPackage), truncated };
}
