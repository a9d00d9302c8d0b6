import { chosenModelConfig, type InferenceConfig } from "@dreamloop/core";
import type { EngineFacts } from "../engine/engine.ts";

/** Something that was asked for, and what is used in its place. */
export interface Fallback {
  /** The setting, such as `precision`. */
  readonly setting: string;
  /** What was asked for. */
  readonly asked: string;
  /** What is used. */
  readonly used: string;
}

/** Where what runs is not what was asked for: the precision, the engine's providers, the threads. */
export function fallbacksOf(
  config: InferenceConfig,
  { precision, engine }: { readonly precision: string; readonly engine: EngineFacts },
): readonly Fallback[] {
  const { askedProviders, providers, availableThreads } = engine;
  const { threads } = chosenModelConfig(config);
  const found: Fallback[] = [];
  if (config.precision !== precision) found.push({ setting: "precision", asked: config.precision, used: precision });
  if (askedProviders.join() !== providers.join()) {
    found.push({ setting: "providers", asked: askedProviders.join(", "), used: providers.join(", ") });
  }
  if (threads !== undefined && threads > availableThreads) {
    const used = `${threads} that share ${availableThreads} at the same time`;
    found.push({ setting: "threads", asked: String(threads), used });
  }
  return found;
}
