import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findPython } from "@dreamloop/external/find-python";
import type { WorldReferenceInput } from "@dreamloop/node";

/** What runs worlds in Python. */
export interface PythonChoice {
  /** The environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The interpreter, from `--python` or `DREAMLOOP_PYTHON`; absent: it is looked for. */
  readonly python?: string;
  /** Whether a file that has changed is loaded anew before the next session; default false. */
  readonly watch?: boolean;
}

/** How a host loads a world in a Python file, in this thread or in another; the interpreter is settled here. */
export function pythonReference(
  given: PythonChoice & { readonly cwd: string; readonly file: string; readonly world: string | undefined },
): WorldReferenceInput {
  const { cwd, file, world, env, python, watch } = given;
  const found = findPython({
    file: file.startsWith("flashdreams:") ? join(cwd, "adapter") : file,
    env,
    ...(python === undefined ? {} : { given: python }),
  });
  return {
    module: fileURLToPath(import.meta.resolve("@dreamloop/external/python-world")),
    exportName: "pythonWorld",
    argument: {
      file,
      python: found.path,
      folder: cwd,
      ...(world === undefined ? {} : { name: world }),
      ...(watch === undefined ? {} : { watch }),
    },
  };
}
