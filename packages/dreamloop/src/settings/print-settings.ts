import type { InferenceConfig } from "@dreamloop/core";
import type { RunSettings } from "./run-settings.ts";

/**
 * The configuration in force in the form of a configuration file: `--config` with it gives the same run. `config` is the model's,
 * with all defaults filled in.
 */
export function printableSettings(settings: RunSettings, config: InferenceConfig): Readonly<Record<string, unknown>> {
  const { world, seed, initial, images, candidate, inference: _, ...run } = settings;
  const { modelId: __, ...inference } = config;
  return { world, seed, initial, ...(images === undefined ? {} : { images }), candidate, inference, run };
}
