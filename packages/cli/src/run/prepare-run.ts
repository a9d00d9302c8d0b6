import { resolve } from "node:path";
import {
  planRun,
  undeclaredModelInputs,
  eventListSource,
  type FiniteInputSource,
  type InferenceConfig,
  type Json,
  type OutputTarget,
} from "@dreamloop/core";
import { targetsFor } from "@dreamloop/outputs";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliContext } from "../program/cli-command.ts";
import { settling } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import type { RunSettings } from "../settings/run-settings.ts";

/** Checks everything that can be known before the world loads, and gives the configuration in force with its defaults filled in. */
export function planWorld(
  world: FoundWorld,
  settings: RunSettings,
  input: FiniteInputSource | undefined,
): InferenceConfig {
  return settling(() => {
    const { adapter } = world;
    refuseUnknownInitial(world, settings.initial);
    const { config } = planRun({
      adapter,
      config: { ...settings.inference, modelId: settings.inference.modelId ?? adapter.modelId },
      candidateIndex: settings.candidate,
      initialInputs: { initial: settings.initial },
      seed: settings.seed,
      sourceSchema: (input ?? eventListSource({ events: [] })).schema,
    });
    return config;
  });
}

/** Refuses initial inputs that the world does not declare, the prompt of a world without one among them. */
function refuseUnknownInitial({ argument: name, adapter }: FoundWorld, initial: RunSettings["initial"]): void {
  const [unknown] = undeclaredModelInputs(adapter.modelInputSchema, { initial });
  if (unknown === undefined) return;
  const fields = adapter.modelInputSchema.initialFields.map((field) => field.name);
  const hint = unknown.nearest === undefined ? "" : ` Did you mean ${unknown.nearest}?`;
  const option = unknown.name === "prompt" ? "--prompt" : `--initial ${unknown.name}`;
  throw usageError(
    `${option}: ${name} has no initial input of that name.${hint} It takes: ${fields.join(", ") || "none"}`,
  );
}

/** Makes the targets of a run; touches nothing yet. Refuses outputs that cannot work together. */
export function runOutput(context: CliContext, settings: RunSettings, config: Json): OutputTarget {
  const { host, terminal } = context;
  const { out } = settings;
  return settling(() => {
    if (out.includes("-")) {
      if (terminal.mode.json) throw usageError("--json and --out -: both write to standard output; leave one out");
      if (host.stdout.isTTY === true) {
        throw usageError("--out -: standard output is a terminal; pipe it into a program, such as | ffplay -");
      }
      terminal.setMode({ stdoutTaken: true });
    }
    refuseSharedFiles(settings, host.cwd);
    return targetsFor(out, {
      encoder: settings.encoder,
      pipe: host.stdout,
      config,
      onFailure: ({ name, error }) => {
        terminal.warn(`${name}: ${error instanceof Error ? error.message : String(error)}; the other outputs go on`);
      },
    });
  });
}

/** Refuses two uses of the same file. */
function refuseSharedFiles(settings: RunSettings, cwd: string): void {
  const { out, record, stats, profile, trace, script } = settings;
  const uses: (readonly [option: string, path: string])[] = [
    ...out.filter((spec) => spec !== "-" && spec !== "null:").map((spec) => ["--out", spec] as const),
    ...Object.entries({ record, stats, profile, trace, script }).flatMap(([name, path]) =>
      path === undefined ? [] : [[`--${name}`, path] as const],
    ),
  ];
  const seen = new Map<string, string>();
  for (const [option, path] of uses) {
    const full = resolve(cwd, path.replace(/^bench:/, ""));
    const before = seen.get(full);
    if (before !== undefined) throw usageError(`${before} and ${option}: both name ${path}; give each its own file`);
    seen.set(full, option);
  }
}
