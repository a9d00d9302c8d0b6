import { extname } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { loadAdapter, resolveWorld, type ResolvedWorld } from "@dreamloop/node";
import { settling } from "../program/exit-code-of.ts";
import { bundledWorlds } from "./bundled-worlds.ts";
import { bundleReference } from "./bundle-folder.ts";
import { pythonReference, type PythonChoice } from "./python-reference.ts";
import type { FoundWorld } from "./found-world.ts";

/** Where worlds are looked for, and what runs those in Python. */
export interface WorldSearch extends PythonChoice {
  /** The folder that paths start at. */
  readonly cwd: string;
}

/** Finds a world without loading anything; see `resolveWorld`. Throws `not_found` with the nearest name. */
export function findPlace(name: string, search: WorldSearch): ResolvedWorld {
  const { cwd } = search;
  return settling(() =>
    resolveWorld(name, {
      cwd,
      bundled: bundledWorlds(),
      bundleReference,
      pythonReference: (file, world) => pythonReference({ ...search, file, world }),
    }),
  );
}

/** Finds a world and loads its adapter, which has no weights yet. */
export async function findWorld(name: string, search: WorldSearch): Promise<FoundWorld> {
  return loadPlace(findPlace(name, search));
}

/** Loads the adapter of a world that was found. */
export async function loadPlace(place: ResolvedWorld): Promise<FoundWorld> {
  try {
    return { ...place, adapter: await loadAdapter(place.reference) };
  } catch (error) {
    throw explained(error, place);
  }
}

/** Adds what helps with faults that come from Node and not from the world. */
function explained(error: unknown, { location = "" }: ResolvedWorld): unknown {
  const { code } = ((error as { readonly cause?: unknown }).cause ?? {}) as { readonly code?: unknown };
  if (code !== "ERR_UNKNOWN_FILE_EXTENSION" || !/\.[mc]?ts$/.test(location)) return error;
  return new DreamloopError(
    ERROR_CODES.loadFailed,
    `${location}: Node ${process.versions.node} does not import ${extname(location)} files; use Node 22.18 or later, or compile it to JavaScript`,
    { cause: error },
  );
}
