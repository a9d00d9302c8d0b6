import { existsSync, statSync } from "node:fs";
import { extname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { nearest } from "@dreamloop/core/internal";
import { declaredWorlds, pathInside, type DeclaredWorld } from "./discovery/declared-worlds.ts";
import { installedPackage, installedWorlds } from "./discovery/installed-worlds.ts";
import { packageEntry, readPackageManifest, type PackageManifest } from "./discovery/package-manifest.ts";
import { worldReference, type WorldReference, type WorldReferenceInput } from "./host/world-reference.ts";

/** Extensions of modules that Node may import; those of TypeScript from Node 22.18 on. */
export const WORLD_MODULE_EXTENSIONS: readonly string[] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"];

/** Extension of worlds in Python; `file.py:Name` names one of several in a file. */
const PYTHON_FILE = /^(.*\.py)(?::([A-Za-z_][A-Za-z0-9_]*))?$/i;

/** A model of FlashDreams in a Python module: `flashdreams:package.module:Adapter`. */
const FLASHDREAMS_ADAPTER = /^flashdreams:[A-Za-z_][\w.]*:[A-Za-z_]\w*$/;

/** The file that makes a folder a bundle. */
export const BUNDLE_MANIFEST = "world.json";

/** A world that comes with the program. */
export interface BundledWorld {
  /** The id by which people ask for it. */
  readonly id: string;
  /** For people. */
  readonly title?: string;
  /** How it is loaded. */
  readonly reference: WorldReferenceInput;
}

/** How a world's name is resolved. */
export interface ResolveWorldOptions {
  /** The folder that relative paths start at and from which packages are looked for. */
  readonly cwd: string;
  /** Worlds that come with the program; their ids win over those of packages. Default none. */
  readonly bundled?: readonly BundledWorld[];
  /** How the bundle in a folder is loaded; absent: bundles are refused. */
  readonly bundleReference?: (folder: string) => WorldReferenceInput;
  /** How a world in a Python file is loaded, the only one in it or the one of that name, or a `flashdreams:` adapter; absent: they are refused. */
  readonly pythonReference?: (file: string, name: string | undefined) => WorldReferenceInput;
}

/** A world that was found and not yet loaded; `loadAdapter(reference)` loads it. */
export interface ResolvedWorld {
  /** What was asked for. */
  readonly argument: string;
  /** Where it comes from. */
  readonly origin: "bundled" | "package" | "module" | "bundle" | "python";
  /** Its id, where it is known before loading. */
  readonly id?: string;
  /** For people, where it is known before loading. */
  readonly title?: string;
  /** Full path of the module or folder; absent for bundled worlds. */
  readonly location?: string;
  /** How a host loads it, in this thread or another. */
  readonly reference: WorldReference;
}

/**
 * Finds the world that a person named, in this order: the id of a bundled world; a model of FlashDreams (`flashdreams:package.module:Adapter`); a path (absolute, starting with a dot, a `file:` URL or with a
 * module's extension) to a module, a Python file (with `:Name` for one of its worlds), a bundle's folder or its `world.json`, or a package's folder; the id of a world that an installed
 * package declares; `package#id`; the name of an installed package, whose only declared world or else its main module it is; a folder
 * of that name. Nothing is loaded. Throws `not_found` with the nearest known name, or `invalid_value` when a name is ambiguous.
 */
export function resolveWorld(argument: string, options: ResolveWorldOptions): ResolvedWorld {
  const { cwd, bundled = [] } = options;
  const known = bundled.find(({ id }) => id === argument);
  if (known !== undefined) {
    const { id, title, reference } = known;
    return { argument, origin: "bundled", id, ...titled(title), reference: worldReference(reference) };
  }
  if (FLASHDREAMS_ADAPTER.test(argument)) return fromPython(argument, argument, undefined, options);
  const path = argument.startsWith("file:") ? fileURLToPath(argument) : resolve(cwd, argument);
  const place = { argument, path, options };
  if (isPath(argument)) return resolvePath(place);
  const installed = installedWorlds(cwd).worlds;
  const declared = installed.filter(({ id }) => id === argument);
  if (declared.length > 1) throw ambiguous(argument, declared);
  if (declared[0] !== undefined) return fromDeclaration(argument, declared[0], options);
  const [packageName = "", worldId] = argument.split("#", 2);
  const manifest = installedPackage(packageName, cwd);
  if (manifest !== undefined) return fromPackage(argument, manifest, worldId, options);
  if (existsSync(path)) return resolvePath(place);
  const names = [...bundled, ...installed].map(({ id }) => id);
  const near = nearest(argument, names);
  const hint = near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`;
  throw new DreamloopError(
    ERROR_CODES.notFound,
    `no world, installed package or path is called ${JSON.stringify(argument)}${hint} Known worlds: ${names.join(", ") || "none"}`,
  );
}

interface Place {
  readonly argument: string;
  readonly path: string;
  readonly options: ResolveWorldOptions;
}

function isPath(argument: string): boolean {
  return (
    isAbsolute(argument) ||
    /^\.{0,2}[/\\]|^\.{1,2}$|^file:/.test(argument) ||
    WORLD_MODULE_EXTENSIONS.includes(extname(argument).toLowerCase()) ||
    PYTHON_FILE.test(argument)
  );
}

function resolvePath({ argument, path, options }: Place): ResolvedWorld {
  const [, file, name] = PYTHON_FILE.exec(path) ?? [];
  if (file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile()) {
    return { ...fromPython(argument, file, name, options), location: file };
  }
  const facts = statSync(path, { throwIfNoEntry: false });
  if (facts === undefined) {
    throw new DreamloopError(ERROR_CODES.notFound, `${argument}: there is no such file or folder; check the path`);
  }
  if (!facts.isDirectory()) {
    if (path.endsWith(BUNDLE_MANIFEST)) return fromBundle(argument, resolve(path, ".."), options);
    if (WORLD_MODULE_EXTENSIONS.includes(extname(path).toLowerCase())) {
      return { argument, origin: "module", location: path, reference: worldReference({ module: path }) };
    }
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${argument}: expected a module (${WORLD_MODULE_EXTENSIONS.join(", ")}), a Python file, a ${BUNDLE_MANIFEST} or a folder that holds one, found another file`,
    );
  }
  if (existsSync(join(path, BUNDLE_MANIFEST))) return fromBundle(argument, path, options);
  const manifest = readPackageManifest(path);
  if (manifest !== undefined) return fromPackage(argument, manifest, undefined, options);
  throw new DreamloopError(
    ERROR_CODES.notFound,
    `${argument}: the folder holds no ${BUNDLE_MANIFEST} and no package.json; name a bundle, a package or a module`,
  );
}

function fromPython(
  argument: string,
  place: string,
  name: string | undefined,
  { pythonReference }: ResolveWorldOptions,
): ResolvedWorld {
  if (pythonReference === undefined) {
    throw new DreamloopError(ERROR_CODES.unavailable, `${argument}: this program runs no worlds in Python`);
  }
  return { argument, origin: "python", reference: worldReference(pythonReference(place, name)) };
}

function fromPackage(
  argument: string,
  manifest: PackageManifest,
  worldId: string | undefined,
  options: ResolveWorldOptions,
): ResolvedWorld {
  const worlds = declaredWorlds(manifest);
  if (worldId !== undefined) {
    const world = worlds.find(({ id }) => id === worldId);
    if (world !== undefined) return fromDeclaration(argument, world, options);
    const names = worlds.map(({ id }) => id).join(", ") || "none";
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `${manifest.name} declares no world ${JSON.stringify(worldId)}; its worlds: ${names}`,
    );
  }
  if (worlds.length > 1) throw ambiguous(argument, worlds);
  if (worlds[0] !== undefined) return fromDeclaration(argument, worlds[0], options);
  const entry = packageEntry(manifest);
  if (entry === undefined) {
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `${manifest.name} declares no world in its package.json and has no main module`,
    );
  }
  const location = pathInside(manifest.folder, entry, `${manifest.name}: its main module`, "module");
  return { argument, origin: "package", location, reference: worldReference({ module: location }) };
}

function fromDeclaration(argument: string, world: DeclaredWorld, options: ResolveWorldOptions): ResolvedWorld {
  const { id, title, kind, location, exportName } = world;
  const reference =
    kind === "module" ? worldReference({ module: location, exportName }) : bundleReference(argument, location, options);
  return { argument, origin: "package", id, ...titled(title), location, reference };
}

function fromBundle(argument: string, folder: string, options: ResolveWorldOptions): ResolvedWorld {
  return { argument, origin: "bundle", location: folder, reference: bundleReference(argument, folder, options) };
}

function bundleReference(argument: string, folder: string, options: ResolveWorldOptions): WorldReference {
  if (options.bundleReference !== undefined) return worldReference(options.bundleReference(folder));
  throw new DreamloopError(ERROR_CODES.unavailable, `${argument}: ${folder} is a bundle, and this program loads none`);
}

function ambiguous(argument: string, worlds: readonly DeclaredWorld[]): DreamloopError {
  const choices = worlds.map(({ packageName, id }) => `${packageName}#${id}`).join(", ");
  return new DreamloopError(
    ERROR_CODES.invalidValue,
    `${JSON.stringify(argument)} names several worlds; say which one: ${choices}`,
  );
}

function titled(title: string | undefined): { readonly title?: string } {
  return title === undefined ? {} : { title };
}
