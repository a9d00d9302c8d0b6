import { readdirSync, statSync, type Stats } from "node:fs";
import { resolve } from "node:path";
import type { CliContext } from "../program/cli-command.ts";
import { usageError } from "../program/usage-error.ts";
import type { FileUse } from "./plan-output.ts";

/** Files that a folder target writes: the folder counts as there when it holds one. */
const OWN_FILE = /^(frame-\d+\.\w+|manifest\.json)$/;

/**
 * Makes sure that nothing that is there is replaced unasked: with `force` it is, at a terminal a question is asked, and elsewhere the
 * command is refused. Empty files, devices and pipes are written as they are.
 */
export async function confirmReplacing(
  { host }: CliContext,
  { uses, force }: { readonly uses: readonly FileUse[]; readonly force: boolean },
): Promise<void> {
  if (force) return;
  const taken = uses.filter(([, path]) => path !== undefined && isTaken(resolve(host.cwd, placeOf(path))));
  if (taken.length === 0) return;
  const names = taken.map(([, path]) => path).join(", ");
  const verb = taken.length === 1 ? "exists" : "exist";
  if (host.ask !== undefined && (await host.ask(`${names} ${verb}. Replace?`))) return;
  const options = [...new Set(taken.map(([option]) => option))].join(", ");
  throw usageError(`${options}: ${names} ${verb} and would be replaced; choose another name, or add --force`);
}

/** The file or folder of an output as people write it: `bench:DIR` and `DIR/*.png` are folders. */
function placeOf(spec: string | undefined): string {
  return (spec ?? "").replace(/^bench:/, "").replace(/[^/\\]*\*[^/\\]*$/, "") || ".";
}

/** Facts of what is there; a path that leads through a file or cannot be read is the business of whoever writes there. */
function factsOf(full: string): Stats | undefined {
  try {
    return statSync(full, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isTaken(full: string): boolean {
  const facts = factsOf(full);
  if (facts?.isDirectory() === true) return readdirSync(full).some((name) => OWN_FILE.test(name));
  return facts?.isFile() === true && facts.size > 0;
}
