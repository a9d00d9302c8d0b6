import {
  planRun,
  undeclaredModelInputs,
  eventListSource,
  type FiniteInputSource,
  type InferenceConfig,
  type Mapping,
} from "@dreamloop/core";
import { freshInputState } from "@dreamloop/core/internal";
import type { FoundWorld } from "../lookup/found-world.ts";
import { settling } from "../program/exit-code-of.ts";
import { usageError } from "../program/usage-error.ts";
import { namingRunOptions, withOptionNames } from "../settings/flag-names.ts";
import type { RunSettings } from "../settings/run-settings.ts";

/** Checks everything that can be known before the world loads, with the `initial` inputs that it starts from, and gives the configuration in force with its defaults filled in. */
export function checkedConfig(
  world: FoundWorld,
  settings: RunSettings,
  input: FiniteInputSource | undefined,
  initial: Mapping,
): InferenceConfig {
  return settling(() => {
    const { adapter } = world;
    refuseUnknownInitial(world, initial);
    const plan = withOptionNames(namingRunOptions, () => {
      return planRun({
        adapter,
        config: { ...settings.inference, modelId: settings.inference.modelId ?? adapter.modelId },
        candidateIndex: settings.candidate,
        initialInputs: { initial },
        seed: settings.seed,
        sourceSchema: (input ?? eventListSource({ events: [] })).schema,
      });
    });
    freshInputState(plan, plan.requestedInputs, plan.seed);
    return plan.config;
  });
}

/** Refuses initial inputs that the world does not declare, the prompt of a world without one among them. */
function refuseUnknownInitial({ argument: name, adapter }: FoundWorld, initial: Mapping): void {
  const [unknown] = undeclaredModelInputs(adapter.modelInputSchema, { initial });
  if (unknown === undefined) return;
  const fields = adapter.modelInputSchema.initialFields.map((field) => field.name);
  const hint = unknown.nearest === undefined ? "" : ` Did you mean ${unknown.nearest}?`;
  const option = unknown.name === "prompt" ? "--prompt" : `--initial ${unknown.name}`;
  throw usageError(
    `${option}: ${name} has no initial input of that name.${hint} It takes: ${fields.join(", ") || "none"}`,
  );
}
