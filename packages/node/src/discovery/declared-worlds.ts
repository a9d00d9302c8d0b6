import { realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { listOf, optional, refuse, shape, text, type Reader } from "@dreamloop/core/internal";
import type { PackageManifest } from "./package-manifest.ts";

/** Worlds that one package may declare at most. */
export const MAX_DECLARED_WORLDS = 100;

/** A world that an installed package declares. It is known without being loaded. */
export interface DeclaredWorld {
  /** The id by which people ask for it. */
  readonly id: string;
  /** For people. */
  readonly title?: string;
  /** Whether it is a module that exports an adapter, or a folder with a `world.json`. */
  readonly kind: "module" | "bundle";
  /** Full path of the module or folder, inside of its package. */
  readonly location: string;
  /** The export of the module that is the adapter; default `default`. */
  readonly exportName: string;
  /** The package's name. */
  readonly packageName: string;
  /** The package's version. */
  readonly packageVersion?: string;
}

interface Declaration {
  readonly id: string;
  readonly title?: string;
  readonly module?: string;
  readonly bundle?: string;
  readonly export?: string;
}

const readId: Reader<string> = (value, path) => {
  const id = text({ maxLength: 200 })(value, path);
  return /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)
    ? id
    : refuse(path, "letters, digits, dots, dashes and underscores", id);
};

const readDeclarations = shape<{ readonly worlds: readonly Declaration[] }>(
  {
    worlds: listOf(
      shape<Declaration>({
        id: readId,
        title: optional(text({ maxLength: 200 })),
        module: optional(text({ maxLength: 1024 })),
        bundle: optional(text({ maxLength: 1024 })),
        export: optional(text({ maxLength: 200 })),
      }),
      { max: MAX_DECLARED_WORLDS },
    ),
  },
  { allowUnknown: true },
);

/**
 * The worlds that a package declares in its manifest: `"dreamloop": {"worlds": [{"id", "title", "module" or "bundle", "export"}]}` with paths
 * inside of the package; none when it declares nothing. Throws `invalid_value` or `not_found` naming the package and the fault.
 */
export function declaredWorlds(manifest: PackageManifest): readonly DeclaredWorld[] {
  if (manifest.dreamloop === undefined) return [];
  const path = `${manifest.name}: dreamloop`;
  const { worlds } = readDeclarations(manifest.dreamloop, path);
  const ids = new Set<string>();
  return worlds.map((declaration, index) => {
    const place = `${path}.worlds[${index}]`;
    if (ids.has(declaration.id)) refuse(`${place}.id`, "each id once in a package", declaration.id);
    ids.add(declaration.id);
    const { id, title, module, bundle } = declaration;
    if ((module === undefined) === (bundle === undefined)) {
      refuse(place, "either module or bundle", Object.keys(declaration).join(", "));
    }
    const kind = module === undefined ? "bundle" : "module";
    if (kind === "bundle" && declaration.export !== undefined) {
      refuse(`${place}.export`, "nothing, as a bundle exports nothing", declaration.export);
    }
    return {
      id,
      ...(title === undefined ? {} : { title }),
      kind,
      location: pathInside(manifest.folder, module ?? bundle ?? "", `${place}.${kind}`, kind),
      exportName: declaration.export ?? "default",
      packageName: manifest.name,
      ...(manifest.version === undefined ? {} : { packageVersion: manifest.version }),
    };
  });
}

/** The full path of something inside of a package. Links are followed, so that one cannot lead out of it. */
export function pathInside(folder: string, given: string, place: string, kind: "module" | "bundle"): string {
  const full = resolve(folder, given);
  let real: string;
  try {
    real = realpathSync(full);
  } catch (cause) {
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `${place}: ${given} does not exist in ${folder}; reinstall the package`,
      {
        cause,
      },
    );
  }
  const steps = relative(realpathSync(folder), real);
  if (isAbsolute(given) || isAbsolute(steps) || steps === ".." || steps.startsWith(`..${sep}`)) {
    refuse(place, "a path inside of the package", given);
  }
  const isFolder = statSync(real).isDirectory();
  if (isFolder !== (kind === "bundle")) refuse(place, kind === "bundle" ? "a folder" : "a file", given);
  return real;
}
