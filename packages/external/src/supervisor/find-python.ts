import { accessSync, constants, existsSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** What `findPython` takes. */
export interface FindPythonOptions {
  /** The world's file, beside and above which virtual environments are looked for. */
  readonly file: string;
  /** What the person chose with `--python`: a path, or a name on the PATH. */
  readonly given?: string;
  /** The environment: `DREAMLOOP_PYTHON`, `VIRTUAL_ENV`, `CONDA_PREFIX` and `PATH` count. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The system; default this one. */
  readonly platform?: NodeJS.Platform;
}

/** An interpreter that was found, and why it was taken. */
export interface FoundPython {
  /** Its path. */
  readonly path: string;
  /** Where it comes from, for people: such as `--python` or `the virtual environment .venv`. */
  readonly origin: string;
}

/** The folders that a neighbouring virtual environment is called. */
const ENVIRONMENT_FOLDERS = [".venv", "venv", "env"] as const;

/** How many folders above the world's are looked into. */
const MAX_PARENTS = 4;

/**
 * Finds the Python that runs a world, in this order: what the person chose, `DREAMLOOP_PYTHON`, the active virtual environment, one beside or
 * above the world's file, `python3` on the PATH, `python`. Throws `unavailable` with what to do when there is none. Nothing is started.
 */
export function findPython({ file, given, env, platform = process.platform }: FindPythonOptions): FoundPython {
  const search: Search = { path: env.PATH ?? env.Path ?? "", platform };
  if (given !== undefined) return chosen(given, "--python", search);
  if (env.DREAMLOOP_PYTHON) return chosen(env.DREAMLOOP_PYTHON, "DREAMLOOP_PYTHON", search);
  for (const name of ["VIRTUAL_ENV", "CONDA_PREFIX"] as const) {
    const folder = env[name];
    const path = folder === undefined || folder === "" ? undefined : pythonIn(folder, platform);
    if (path !== undefined) return { path, origin: `the active environment ${basename(folder ?? "")}` };
  }
  const neighbour = neighbouring(dirname(resolve(file)), platform);
  if (neighbour !== undefined) return neighbour;
  for (const name of platform === "win32" ? ["python", "python3", "py"] : ["python3", "python"]) {
    const path = onPath(name, search);
    if (path !== undefined) return { path, origin: `${name} on the PATH` };
  }
  throw new DreamloopError(
    ERROR_CODES.unavailable,
    "no Python was found: install Python 3.9 or newer with NumPy, or name an interpreter with --python or DREAMLOOP_PYTHON",
  );
}

interface Search {
  readonly path: string;
  readonly platform: NodeJS.Platform;
}

function chosen(given: string, origin: string, search: Search): FoundPython {
  const isPath = isAbsolute(given) || /[/\\]/.test(given);
  const path = isPath ? resolve(given) : onPath(given, search);
  if (path !== undefined && isProgram(path)) return { path, origin };
  // The folder of an environment will do too.
  const inside = path === undefined ? undefined : pythonIn(path, search.platform);
  if (inside !== undefined) return { path: inside, origin };
  throw new DreamloopError(
    ERROR_CODES.notFound,
    `${origin}: expected a Python interpreter or the folder of a virtual environment, found nothing that runs at ${JSON.stringify(given)}`,
  );
}

function neighbouring(start: string, platform: NodeJS.Platform): FoundPython | undefined {
  let folder = start;
  for (let level = 0; level <= MAX_PARENTS; level += 1) {
    for (const name of ENVIRONMENT_FOLDERS) {
      const place = join(folder, name);
      const path = existsSync(join(place, "pyvenv.cfg")) ? pythonIn(place, platform) : undefined;
      if (path !== undefined) return { path, origin: `the virtual environment ${name}` };
    }
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

function pythonIn(folder: string, platform: NodeJS.Platform): string | undefined {
  const places = platform === "win32" ? ["Scripts/python.exe", "python.exe"] : ["bin/python3", "bin/python"];
  return places.map((place) => join(folder, place)).find(isProgram);
}

function onPath(name: string, { path, platform }: Search): string | undefined {
  const names = platform === "win32" && !name.endsWith(".exe") ? [`${name}.exe`, name] : [name];
  return path
    .split(delimiter)
    .filter((folder) => folder !== "")
    .flatMap((folder) => names.map((each) => join(folder, each)))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
