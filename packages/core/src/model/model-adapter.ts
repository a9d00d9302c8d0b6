import type { DeviceConverter } from "../canonical/device-converter.ts";
import { chosenModelConfig, type Backend, type InferenceConfig, type Precision } from "../config/inference-config.ts";
import type { CachePolicy, ModelConfig } from "../config/model-config.ts";
import { DreamloopError, ERROR_CODES } from "../errors/dreamloop-error.ts";
import type { UserInputSchema } from "../inputs/user-input-schema.ts";
import type { InputMapping } from "../mapping/input-mapping.ts";
import type { StandardSchema } from "../validate/standard-schema.ts";
import { refuse, throughSchema } from "../validate/reader.ts";
import type { InferenceRuntime } from "./inference-session.ts";
import type { ModelInputSchema } from "./model-input-schema.ts";
import type { SessionDescription } from "./session-description.ts";

/** Fields of `ModelConfig` that an adapter may declare as supported. */
export type ModelOption = Exclude<keyof ModelConfig, "extra" | "attentionBackend" | "cachePolicy">;

/** What an adapter supports; an explicit choice outside of it is refused before anything loads. */
export interface AdapterSupport {
  /** Backends; default `["local"]`. */
  readonly backends?: readonly Backend[];
  /** Devices, such as `cpu`; default `["cpu"]`. */
  readonly devices?: readonly string[];
  /** Precisions beside `auto`; default `["fp32"]`. */
  readonly precisions?: readonly Precision[];
  /** Options of `ModelConfig` that have an effect; default none. */
  readonly modelOptions?: readonly ModelOption[];
  /** Attention implementations beside `auto`; default none. */
  readonly attentionBackends?: readonly string[];
  /** Cache policies beside `auto`; default none. */
  readonly cachePolicies?: readonly CachePolicy["kind"][];
  /** Keys of `ModelConfig.extra`; default none. */
  readonly extraOptions?: readonly string[];
  /** Presets under the model; default none. */
  readonly presets?: readonly string[];
}

/** One stage of a load, reported while it goes on. */
export interface LoadProgress {
  /** What happens now, such as `weights` or `warm-up`. */
  readonly stage: string;
  /** How much of the stage is done, 0 to 1; absent when unknown. */
  readonly fraction?: number;
}

/** How a runtime is made. */
export interface CreateRuntimeOptions {
  /** Cancels the load and frees what was loaded. */
  readonly signal?: AbortSignal;
  /** Told about progress. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** The model-specific code: declares inputs, validates configuration and creates a runtime. */
export interface ModelAdapter {
  /** Stable identity; equals `InferenceConfig.modelId`. */
  readonly modelId: string;
  /** Version of its behaviour, recorded in traces; default `1`. */
  readonly version?: string;
  /** For people. */
  readonly title?: string;
  /** For people. */
  readonly description?: string;
  /** What the model needs. */
  readonly modelInputSchema: ModelInputSchema;
  /** What the model's own mapping expects from a source; absent: whatever its converters consume. */
  readonly userInputSchema?: UserInputSchema;
  /** Converters that belong to this world; absent: the standard ones. */
  readonly converters?: readonly DeviceConverter[];
  /** Checks `InferenceConfig.runtimeOptions`; absent: every option is refused. */
  readonly runtimeOptionsSchema?: StandardSchema;
  /** What configurations it supports; absent: the defaults of `AdapterSupport`. */
  readonly supports?: AdapterSupport;
  /** Words that its prompt understands, for pickers; absent: free text. */
  readonly promptVocabulary?: readonly string[];
  /** The mapping that a run uses unless told otherwise. */
  defaultInputMapping(): InputMapping;
  /** Refuses a configuration that cannot work; called before anything loads. */
  validateConfig(config: InferenceConfig): void;
  /** What sessions will deliver, answered before anything loads; absent: only the runtime can tell. */
  describe?(config: InferenceConfig): SessionDescription;
  /** Loads the model. */
  createRuntime(config: InferenceConfig, options: CreateRuntimeOptions): InferenceRuntime | Promise<InferenceRuntime>;
}

/** Checks the shape of a value that was loaded from a module; throws `invalid_value` naming what is missing. */
export function assertModelAdapter(value: unknown): asserts value is ModelAdapter {
  if (typeof value !== "object" || value === null) refuse("ModelAdapter", "an object", value);
  const adapter = value as Record<string, unknown>;
  if (typeof adapter.modelId !== "string" || adapter.modelId.trim() === "") {
    refuse("ModelAdapter.modelId", "a string that is not blank", adapter.modelId);
  }
  for (const method of ["defaultInputMapping", "validateConfig", "createRuntime"] as const) {
    if (typeof adapter[method] !== "function") refuse(`ModelAdapter.${method}`, "a function", adapter[method]);
  }
  const schema = adapter.modelInputSchema as Partial<ModelInputSchema> | null | undefined;
  if (typeof schema !== "object" || schema === null || typeof schema.missingInitial !== "function") {
    refuse("ModelAdapter.modelInputSchema", "the result of modelInputSchema({...})", schema);
  }
  for (const method of ["describe"] as const) {
    if (adapter[method] !== undefined && typeof adapter[method] !== "function") {
      refuse(`ModelAdapter.${method}`, "a function or nothing", adapter[method]);
    }
  }
  if (adapter.converters !== undefined && !Array.isArray(adapter.converters)) {
    refuse("ModelAdapter.converters", "a list of converters or nothing", adapter.converters);
  }
}

function unsupported(field: string, found: unknown, allowed: readonly string[], modelId: string): never {
  const list = allowed.length === 0 ? "leave it out" : `supported: ${allowed.join(", ")}`;
  throw new DreamloopError(
    ERROR_CODES.unsupportedConfig,
    `${field}: ${JSON.stringify(found)} is not supported by ${JSON.stringify(modelId)}; ${list}`,
  );
}

/**
 * Refuses every explicit choice of `config` that the adapter does not declare, then lets the adapter validate the rest.
 * `auto` and absence always pass.
 */
export function checkConfigSupport(adapter: ModelAdapter, config: InferenceConfig, candidateIndex = 0): void {
  const id = adapter.modelId;
  const supports = adapter.supports ?? {};
  if (config.modelId !== id) unsupported("InferenceConfig.modelId", config.modelId, [id], id);
  const backends = supports.backends ?? ["local"];
  if (!backends.includes(config.backend)) unsupported("InferenceConfig.backend", config.backend, backends, id);
  const devices = supports.devices ?? ["cpu"];
  if (config.device !== undefined && !devices.includes(config.device))
    unsupported("InferenceConfig.device", config.device, devices, id);
  const precisions: readonly Precision[] = ["auto", ...(supports.precisions ?? ["fp32"])];
  if (!precisions.includes(config.precision))
    unsupported("InferenceConfig.precision", config.precision, precisions, id);
  const presets = supports.presets ?? [];
  if (config.presetId !== undefined && !presets.includes(config.presetId))
    unsupported("InferenceConfig.presetId", config.presetId, presets, id);

  const model = chosenModelConfig(config, candidateIndex);
  const options = supports.modelOptions ?? [];
  for (const option of ["compile", "graphCapture", "denoisingSteps", "framesPerStep", "threads"] as const) {
    if (model[option] !== undefined && !options.includes(option))
      unsupported(`ModelConfig.${option}`, model[option], [], id);
  }
  const attention = ["auto", ...(supports.attentionBackends ?? [])];
  if (!attention.includes(model.attentionBackend))
    unsupported("ModelConfig.attentionBackend", model.attentionBackend, attention, id);
  const policies = ["auto", ...(supports.cachePolicies ?? [])];
  if (!policies.includes(model.cachePolicy.kind))
    unsupported("ModelConfig.cachePolicy", model.cachePolicy.kind, policies, id);
  const extra = supports.extraOptions ?? [];
  for (const key of Object.keys(model.extra)) {
    if (!extra.includes(key)) unsupported(`ModelConfig.extra.${key}`, model.extra[key], extra, id);
  }
  const optionKeys = Object.keys(config.runtimeOptions);
  if (adapter.runtimeOptionsSchema !== undefined) {
    throughSchema(adapter.runtimeOptionsSchema)(config.runtimeOptions, "InferenceConfig.runtimeOptions");
  } else if (optionKeys.length > 0) {
    unsupported(`InferenceConfig.runtimeOptions.${optionKeys[0]}`, config.runtimeOptions[optionKeys[0]], [], id);
  }
  adapter.validateConfig(config);
}
