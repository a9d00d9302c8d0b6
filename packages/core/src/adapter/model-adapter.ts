import type { DeviceConverter } from "../canonical/device-converter.ts";
import {
  BACKENDS,
  chosenModelConfig,
  PRECISIONS,
  type Backend,
  type InferenceConfig,
  type Precision,
} from "../model/inference-config.ts";
import { distributionHint, distributionOf } from "../model/distribution.ts";
import type { CachePolicy, ModelConfig } from "../model/model-config.ts";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { UserInputSchema } from "../inputs/user-input-schema.ts";
import type { InputMapping } from "../mapping/input-mapping.ts";
import type { StandardSchema } from "../foundation/validate/standard-schema.ts";
import {
  callable,
  isPlainObject,
  listOf,
  oneOf,
  optional,
  refuse,
  standardSchema,
  text,
  throughSchema,
  type Reader,
} from "../foundation/validate/reader.ts";
import { isMade, shape } from "../foundation/validate/record.ts";
import type { InferenceRuntime } from "../model/inference-session.ts";
import type { ModelInputSchema } from "../mapping/model-input-schema.ts";
import type { SessionDescription } from "../model/session-description.ts";

/** Fields of `ModelConfig` that an adapter may declare as supported. */
export type ModelOption = Exclude<keyof ModelConfig, "extra" | "attentionBackend" | "cachePolicy">;

const MODEL_OPTIONS = {
  compile: "compile",
  graphCapture: "graphCapture",
  denoisingSteps: "denoisingSteps",
  framesPerStep: "framesPerStep",
  threads: "threads",
} as const satisfies { readonly [Option in ModelOption]: Option };

const CACHE_POLICY_KINDS = {
  auto: "auto",
  full: "full",
  rolling: "rolling",
} as const satisfies { readonly [Kind in CachePolicy["kind"]]: Kind };

/** What an adapter supports; an explicit choice outside of it is refused before anything loads. */
export interface AdapterSupport {
  /** Backends; default `["local"]`. */
  readonly backends?: readonly Backend[];
  /** Devices, such as `cpu`; `cuda` stands for `cuda:0`, `cuda:1` and so on too. Default `["cpu"]`. */
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
  /** Values of `InferenceConfig.checkpoint`, or `any` where the adapter checks it itself; default none. */
  readonly checkpoints?: readonly string[] | "any";
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
  /** Whole prompts that its author offers, one for each thing worth seeing, such as `a snowy road at sunset`; absent: none. */
  readonly promptSuggestions?: readonly string[];
  /** The mapping that a run uses unless told otherwise. */
  defaultInputMapping(): InputMapping;
  /** Refuses a configuration that cannot work; called before anything loads. */
  validateConfig(config: InferenceConfig): void;
  /** What sessions will deliver, answered before anything loads; absent: only the runtime can tell. */
  describe?(config: InferenceConfig): SessionDescription;
  /** Loads the model. */
  createRuntime(config: InferenceConfig, options: CreateRuntimeOptions): InferenceRuntime | Promise<InferenceRuntime>;
}

/** Whole prompts that an author may offer. */
export const MAX_PROMPT_SUGGESTIONS = 24;

/** Letters of one of them. */
export const MAX_SUGGESTION_LENGTH = 80;

/** Reads whole prompts that an author offers: at most `MAX_PROMPT_SUGGESTIONS`, each short enough for a button. */
export const readPromptSuggestions: Reader<readonly string[]> = listOf(text({ maxLength: MAX_SUGGESTION_LENGTH }), {
  max: MAX_PROMPT_SUGGESTIONS,
});

const readNames = optional(listOf(text({ maxLength: 200 })));
const readSupport = shape<AdapterSupport>({
  backends: optional(listOf(oneOf(BACKENDS))),
  devices: readNames,
  precisions: optional(listOf(oneOf(PRECISIONS))),
  modelOptions: optional(listOf(oneOf(MODEL_OPTIONS))),
  attentionBackends: readNames,
  cachePolicies: optional(listOf(oneOf(CACHE_POLICY_KINDS))),
  extraOptions: readNames,
  checkpoints: (value, path) => (value === "any" ? value : readNames(value, path)),
  presets: readNames,
});

function requireMade(value: unknown, type: string, path: string, maker: string): void {
  if (!isMade(value, type)) refuse(path, `the result of ${maker}({...})`, value);
}

/** Checks the shape of a value that was loaded from a module, all parts of it; throws `invalid_value` naming what is missing or wrong. */
export function assertModelAdapter(value: unknown): asserts value is ModelAdapter {
  if (typeof value !== "object" || value === null) refuse("ModelAdapter", "an object", value);
  const adapter = value as { readonly [Field in keyof ModelAdapter]?: unknown };
  text({ maxLength: 200 })(adapter.modelId, "ModelAdapter.modelId");
  for (const method of ["defaultInputMapping", "validateConfig", "createRuntime"] as const) {
    callable()(adapter[method], `ModelAdapter.${method}`);
  }
  if (adapter.describe !== undefined) callable()(adapter.describe, "ModelAdapter.describe");
  requireMade(adapter.modelInputSchema, "ModelInputSchema", "ModelAdapter.modelInputSchema", "modelInputSchema");
  if (adapter.userInputSchema !== undefined) {
    requireMade(adapter.userInputSchema, "UserInputSchema", "ModelAdapter.userInputSchema", "userInputSchema");
  }
  for (const [index, converter] of optional(listOf((entry) => entry))(
    adapter.converters,
    "ModelAdapter.converters",
  )?.entries() ?? []) {
    requireMade(converter, "DeviceConverter", `ModelAdapter.converters[${index}]`, "deviceConverter");
  }
  optional(text({ maxLength: 64 }))(adapter.version, "ModelAdapter.version");
  for (const words of ["title", "description"] as const) {
    optional(text({ allowBlank: true }))(adapter[words], `ModelAdapter.${words}`);
  }
  optional(standardSchema)(adapter.runtimeOptionsSchema, "ModelAdapter.runtimeOptionsSchema");
  optional(readSupport)(adapter.supports, "ModelAdapter.supports");
  optional(listOf(text()))(adapter.promptVocabulary, "ModelAdapter.promptVocabulary");
  optional(readPromptSuggestions)(adapter.promptSuggestions, "ModelAdapter.promptSuggestions");
}

function unsupported(field: string, found: unknown, allowed: readonly string[], modelId: string): never {
  const list = allowed.length === 0 ? "leave it out" : `supported: ${allowed.join(", ")}`;
  throw new DreamloopError(
    ERROR_CODES.unsupportedConfig,
    `${field}: ${JSON.stringify(found)} is not supported by ${JSON.stringify(modelId)}; ${list}`,
  );
}

/** Whether a device is among those that are supported: by its name, or as one of several of a kind. */
function takesDevice(devices: readonly string[], device: string): boolean {
  const [, kind = ""] = /^([^:]+):\d{1,3}$/.exec(device) ?? [];
  return devices.includes(device) || devices.includes(kind);
}

/**
 * Refuses options that a schema does not take, and those that it drops without a trace, as object schemas do with keys that they do not know: an
 * option counts as known when it is in the result, or when the result is another without it.
 */
function refuseIgnoredOptions(schema: StandardSchema, options: InferenceConfig["runtimeOptions"]): void {
  const place = "InferenceConfig.runtimeOptions";
  const read = throughSchema(schema);
  const result = read(options, place);
  if (!isPlainObject(result)) return;
  for (const key of Object.keys(options)) {
    if (Object.hasOwn(result, key)) continue;
    const { [key]: _left, ...others } = options;
    let without: unknown;
    try {
      without = read(others, place);
    } catch {
      // The schema needs the option.
      continue;
    }
    if (JSON.stringify(without) !== JSON.stringify(result)) continue;
    throw new DreamloopError(
      ERROR_CODES.unknownKey,
      `${place}.${key}: unknown option, which the adapter's schema drops; known ones in use: ${Object.keys(result).join(", ") || "none"}`,
    );
  }
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
  const hint = distributionHint(config.resourceHints);
  if (hint !== undefined && (config.backend === BACKENDS.local || config.backend === BACKENDS.external)) {
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      `InferenceConfig.resourceHints.${hint}: the backend ${config.backend} does not use it; leave the backend out, or choose local-distributed`,
    );
  }
  if (config.backend === BACKENDS.localDistributed) distributionOf(config.resourceHints);
  const devices = supports.devices ?? ["cpu"];
  if (config.device !== undefined && !takesDevice(devices, config.device))
    unsupported("InferenceConfig.device", config.device, devices, id);
  const precisions: readonly Precision[] = ["auto", ...(supports.precisions ?? ["fp32"])];
  if (!precisions.includes(config.precision))
    unsupported("InferenceConfig.precision", config.precision, precisions, id);
  const presets = supports.presets ?? [];
  if (config.presetId !== undefined && !presets.includes(config.presetId))
    unsupported("InferenceConfig.presetId", config.presetId, presets, id);
  const { checkpoints = [] } = supports;
  if (config.checkpoint !== undefined && checkpoints !== "any" && !checkpoints.includes(config.checkpoint))
    unsupported("InferenceConfig.checkpoint", config.checkpoint, checkpoints, id);

  const model = chosenModelConfig(config, candidateIndex);
  const options = supports.modelOptions ?? [];
  for (const option of Object.values(MODEL_OPTIONS)) {
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
    refuseIgnoredOptions(adapter.runtimeOptionsSchema, config.runtimeOptions);
  } else if (optionKeys.length > 0) {
    unsupported(`InferenceConfig.runtimeOptions.${optionKeys[0]}`, config.runtimeOptions[optionKeys[0]], [], id);
  }
  try {
    adapter.validateConfig(config);
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      `${JSON.stringify(id)} refuses its configuration: ${message}`,
      {
        cause: error,
      },
    );
  }
}
