import {
  isPlainObject,
  jsonMapping,
  MAX_JSON_DEPTH,
  oneOf,
  optional,
  refuse,
  text,
  withDefault,
  type Json,
} from "../foundation/validate/reader.ts";
import { isMade, made, recordFactory } from "../foundation/validate/record.ts";
import { distributionHint } from "./distribution.ts";
import { modelConfig, type ModelConfig, type ModelConfigInput } from "./model-config.ts";

/** Where and how inference compute runs. */
export const BACKENDS = {
  /** In this process: ONNX Runtime in a worker thread, or in the browser page. */
  local: "local",
  /** Several workers or devices of this machine behind one runtime. */
  localDistributed: "local-distributed",
  /** Another process that speaks the worker protocol. */
  external: "external",
  /** A world on another Dreamloop server or cluster. */
  hosted: "hosted",
} as const;

/** One of `BACKENDS`. */
export type Backend = (typeof BACKENDS)[keyof typeof BACKENDS];

/** The preferred compute precision. */
export const PRECISIONS = {
  /** The adapter decides. */
  auto: "auto",
  /** 32-bit floating point. */
  fp32: "fp32",
  /** 16-bit floating point (IEEE half). */
  fp16: "fp16",
  /** 16-bit brain floating point. */
  bf16: "bf16",
  /** 8-bit integers. */
  int8: "int8",
} as const;

/** One of `PRECISIONS`. */
export type Precision = (typeof PRECISIONS)[keyof typeof PRECISIONS];

/**
 * Settings that affect model execution, and nothing else: no prompts, controls, output paths or browser settings.
 * Everything in it is plain JSON, so that it crosses threads and goes into traces.
 */
export interface InferenceConfig {
  /** Stable adapter identity; not blank. */
  readonly modelId: string;
  /** Preset under the model. */
  readonly presetId?: string;
  /** Asset selector that the adapter understands. */
  readonly checkpoint?: string;
  /** Where and how inference runs; default `local`, or `local-distributed` where `resourceHints` has workers, ranks or devices. */
  readonly backend: Backend;
  /** For example `cpu`, `cuda:0`, `webgpu`; absent: the adapter decides. */
  readonly device?: string;
  /** Preferred compute precision; default `auto`. */
  readonly precision: Precision;
  /** Implementation choices; a non-empty list holds candidates for autotune, of which a run takes the first unless told otherwise. */
  readonly model: ModelConfig | readonly ModelConfig[];
  /** Options that the adapter owns and declares; default none. */
  readonly runtimeOptions: { readonly [key: string]: Json };
  /** Hints for launchers, schedulers and hosts; default none. */
  readonly resourceHints: { readonly [key: string]: Json };
}

/** What the factory of `InferenceConfig` takes: only `modelId` is required. */
export interface InferenceConfigInput extends Partial<Omit<InferenceConfig, "model">> {
  /** Stable adapter identity; not blank. */
  readonly modelId: string;
  /** Implementation choices, or a non-empty list of candidates. */
  readonly model?: ModelConfigInput | readonly ModelConfigInput[];
}

type Hints = InferenceConfig["resourceHints"];

const readModel = made((value) => modelConfig(value as ModelConfigInput));

const makeInFull = recordFactory<InferenceConfig>("InferenceConfig", {
  modelId: text({ maxLength: 200 }),
  presetId: optional(text({ maxLength: 200 })),
  checkpoint: optional(text({ maxLength: 4096 })),
  backend: withDefault(oneOf(BACKENDS), BACKENDS.local),
  device: optional(text({ maxLength: 200 })),
  precision: withDefault(oneOf(PRECISIONS), PRECISIONS.auto),
  model: (value, path) => {
    if (!Array.isArray(value)) return readModel(value === undefined ? {} : value, path);
    if (value.length === 0) refuse(path, "a ModelConfig or a list of at least one candidate", value);
    // Not `map`: it passes over the holes of a sparse list.
    return Object.freeze(
      Array.from(value as readonly unknown[], (entry, index) =>
        entry === undefined
          ? refuse(`${path}[${index}]`, "a ModelConfig", entry)
          : readModel(entry, `${path}[${index}]`),
      ),
    );
  },
  runtimeOptions: withDefault(jsonMapping, Object.freeze({})),
  resourceHints: withDefault(jsonMapping, Object.freeze({})),
});

function make(input: unknown): InferenceConfig {
  if (!isPlainObject(input) || isMade(input, "InferenceConfig") || input.backend !== undefined)
    return makeInFull(input);
  const { resourceHints } = input;
  const isSpread = isPlainObject(resourceHints) && distributionHint(resourceHints as Hints) !== undefined;
  return makeInFull(isSpread ? { ...input, backend: BACKENDS.localDistributed } : input);
}

/** Makes an `InferenceConfig` with defaults; refuses blank identities, wrong types, unknown members and unknown keys. */
export function inferenceConfig(input: InferenceConfigInput): InferenceConfig {
  return make(input);
}

/** The `ModelConfig` that a run uses: the only one, or the candidate at `candidateIndex` (default the first). */
export function chosenModelConfig(config: InferenceConfig, candidateIndex = 0): ModelConfig {
  const candidates: readonly ModelConfig[] = Array.isArray(config.model)
    ? (config.model as readonly ModelConfig[])
    : [config.model as ModelConfig];
  const chosen = candidates[candidateIndex];
  if (chosen === undefined) refuse("candidateIndex", `an integer from 0 to ${candidates.length - 1}`, candidateIndex);
  return chosen;
}

/** The configuration as an adapter gets it: of several candidates only the one at `candidateIndex`, which it therefore need not know. */
export function configOfCandidate(config: InferenceConfig, candidateIndex = 0): InferenceConfig {
  const model = chosenModelConfig(config, candidateIndex);
  return Array.isArray(config.model) ? make({ ...config, model }) : config;
}

/** A copy of plain JSON with `value` written at a dotted path (`model.threads`); used by `--set`. Intermediate mappings are made. */
export function setJsonPath(
  target: { readonly [key: string]: Json },
  path: string,
  value: Json,
): { readonly [key: string]: Json } {
  const names = path.split(".");
  if (names.some((name) => name.trim() === "")) refuse("path", "names joined by dots", path);
  if (names.length > MAX_JSON_DEPTH) refuse("path", `at most ${MAX_JSON_DEPTH} names joined by dots`, path);
  const [head = "", ...rest] = names;
  if (rest.length === 0) return { ...target, [head]: value };
  const inner = Object.hasOwn(target, head) ? target[head] : undefined;
  if (inner !== undefined && (typeof inner !== "object" || inner === null || Array.isArray(inner))) {
    refuse(path, `a mapping at ${JSON.stringify(head)}`, inner);
  }
  return {
    ...target,
    [head]: setJsonPath((inner ?? {}) as { readonly [key: string]: Json }, rest.join("."), value),
  };
}
