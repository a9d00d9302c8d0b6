import { resolve } from "node:path";
import { NullOutputTarget, type Json, type OutputTarget } from "@dreamloop/core";
import { targetsFor, type EncoderName } from "@dreamloop/outputs";
import type { CliContext } from "../program/cli-command.ts";
import { settling } from "../program/exit-code-of.ts";
import { usageError } from "../program/usage-error.ts";

/** A file that a command uses, and the option that names it. */
export type FileUse = readonly [option: string, path: string | undefined];

/** Where frames go, and what else the command reads and writes. */
export interface OutputPlan {
  /** Specifications of targets, as people write them. */
  readonly out: readonly string[];
  /** The encoder of MP4 files. */
  readonly encoder?: EncoderName;
  /** Other files of the command; none may be named twice. */
  readonly files: readonly FileUse[];
  /** Configuration for the manifest of a benchmark. */
  readonly config?: Json;
}

/** Makes the targets of a command; touches nothing yet. Refuses outputs that cannot work together. */
export function planOutput({ host, terminal }: CliContext, plan: OutputPlan): OutputTarget {
  const { out, encoder, files, config } = plan;
  return settling(() => {
    if (out.includes("-")) {
      if (terminal.mode.json) throw usageError("--json and --out -: both write to standard output; leave one out");
      if (host.stdout.isTTY === true) {
        throw usageError("--out -: standard output is a terminal; pipe it into a program, such as | ffplay -");
      }
      terminal.setMode({ stdoutTaken: true });
    }
    refuseSharedFiles([...out.map((spec) => ["--out", spec] as const), ...files], host.cwd);
    if (out.length === 0) return new NullOutputTarget();
    return targetsFor(out, {
      pipe: host.stdout,
      ...(encoder === undefined ? {} : { encoder }),
      ...(config === undefined ? {} : { config }),
      onFailure: ({ name, error }) => {
        terminal.warn(`${name}: ${error instanceof Error ? error.message : String(error)}; the other outputs go on`);
      },
    });
  });
}

/** Refuses two uses of the same file. */
function refuseSharedFiles(uses: readonly FileUse[], cwd: string): void {
  const seen = new Map<string, string>();
  for (const [option, path] of uses) {
    if (path === undefined || path === "-" || path === "null:") continue;
    const full = resolve(cwd, path.replace(/^bench:/, ""));
    const before = seen.get(full);
    if (before !== undefined) throw usageError(`${before} and ${option}: both name ${path}; give each its own file`);
    seen.set(full, option);
  }
}
