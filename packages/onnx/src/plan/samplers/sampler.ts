/** Settings of a sampler by name, every one of them present. */
export type SamplerSettings = Readonly<Record<string, number | string>>;

/** What a setting may be. */
export type SettingRule =
  | {
      /** Its value when the manifest has none. */
      readonly default: number;
      /** The least value that is allowed. */
      readonly least: number;
      /** The greatest value that is allowed. */
      readonly greatest: number;
    }
  | {
      /** Its value when the manifest has none. */
      readonly default: string;
      /** The values that are allowed. */
      readonly choices: readonly string[];
    };

/** One call of the denoising graph. */
export interface PredictionCall {
  /** What `sampler:latent` gives; read during the call only. */
  readonly latent: Float32Array;
  /** What `sampler:level` gives. */
  readonly level: number;
  /** What `sampler:index` gives: the number of the denoising step, from 0. */
  readonly index: number;
}

/** What a sampler works with during one run. */
export interface SamplerRun {
  /** The latent, to be changed in place. */
  readonly latent: Float32Array;
  /** Noise levels, one more than there are denoising steps. */
  readonly levels: readonly number[];
  /** The settings, defaults filled in. */
  readonly settings: SamplerSettings;
  /** The graph's prediction, guidance included. */
  readonly predict: (call: PredictionCall) => Promise<Float32Array>;
  /** Fresh standard normal noise of the latent's size for denoising step `index`, for samplers that add some on the way. */
  readonly noise: (index: number) => Float32Array;
}

/** A way from noise to a latent. Samplers have no state: the same run gives the same latent. */
export interface Sampler {
  /** The name that manifests use. */
  readonly name: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** The settings that manifests may give. */
  readonly settings: Readonly<Record<string, SettingRule>>;
  /** Why these noise levels cannot be used; `undefined` when they can. */
  refusedLevels(levels: readonly number[], settings: SamplerSettings): string | undefined;
  /** Why a latent cannot be brought to this level by `addNoise`; `undefined` when it can. */
  refusedLevel(level: number, settings: SamplerSettings): string | undefined;
  /** Changes `run.latent` from the first level to the last. */
  sample(run: SamplerRun): Promise<void>;
  /** A clean latent brought to a noise level. */
  addNoise(latent: Float32Array, noise: Float32Array, level: number, settings: SamplerSettings): Float32Array;
}

/** Samplers by name. */
export type SamplerRegistry = Readonly<Record<string, Sampler>>;

/** The settings of a sampler with what the manifest gives and its defaults. */
export function settledSettings(sampler: Sampler, given: SamplerSettings = {}): SamplerSettings {
  const defaults = Object.entries(sampler.settings).map(([name, rule]) => [name, rule.default] as const);
  return { ...Object.fromEntries(defaults), ...given };
}

/** What a value has to be by its rule; `undefined` when it is. */
export function refusedSetting(rule: SettingRule, value: number | string): string | undefined {
  if ("choices" in rule) {
    if (typeof value === "string" && rule.choices.includes(value)) return undefined;
    return `one of ${rule.choices.join(", ")}`;
  }
  if (typeof value === "number" && value >= rule.least && value <= rule.greatest) return undefined;
  return `a number from ${rule.least} to ${rule.greatest}`;
}
