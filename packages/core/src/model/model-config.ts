import {
  finite,
  flag,
  jsonMapping,
  optional,
  refuse,
  text,
  withDefault,
  type Json,
} from "../foundation/validate/reader.ts";
import { recordFactory, refuseUnknownKeys } from "../foundation/validate/record.ts";

/** The attention implementations that Dreamloop names; adapters may declare others. */
export const ATTENTION_BACKENDS = {
  /** The adapter decides. */
  auto: "auto",
  /** Plain matrix products and a softmax. */
  math: "math",
  /** Memory-efficient attention, computed in tiles. */
  efficient: "efficient",
  /** FlashAttention kernels. */
  flash: "flash",
  /** Attention of NVIDIA's cuDNN. */
  cudnn: "cudnn",
} as const;

/** A named attention implementation, or one that an adapter declares. */
export type AttentionBackend = (typeof ATTENTION_BACKENDS)[keyof typeof ATTENTION_BACKENDS] | (string & {});

/** How a session keeps what it has seen. */
export type CachePolicy =
  /** The adapter decides. */
  | { readonly kind: "auto" }
  /** Everything is kept. */
  | { readonly kind: "full" }
  /** The newest `windowFrames` frames are kept, and the first `sinkFrames` beside them. */
  | {
      readonly kind: "rolling";
      /** The newest frames that are kept, at least 1. */
      readonly windowFrames: number;
      /** The first frames that are kept beside them; default 0. */
      readonly sinkFrames: number;
    };

/** The implementation choices of a model: what autotune varies. Everything is plain JSON; absence means that the adapter decides. */
export interface ModelConfig {
  /** Whether to compile the model; absent: the adapter decides. */
  readonly compile?: boolean;
  /** Whether to capture graphs (CUDA graphs and their like); absent: the adapter decides. */
  readonly graphCapture?: boolean;
  /** The attention implementation; default `auto`. */
  readonly attentionBackend: AttentionBackend;
  /** What the cache keeps; default `{kind: "auto"}`. */
  readonly cachePolicy: CachePolicy;
  /** Denoising steps per step of the rollout, 1 to 1,000. */
  readonly denoisingSteps?: number;
  /** Frames that one step produces, 1 to 1,024. */
  readonly framesPerStep?: number;
  /** Threads of the inference engine, 1 to 1,024. */
  readonly threads?: number;
  /** Further choices that the adapter declares. */
  readonly extra: { readonly [key: string]: Json };
}

/** What the factory of `ModelConfig` takes: every field may be left out. */
export type ModelConfigInput = Partial<ModelConfig>;

const frames = finite({ integer: true, min: 1, max: 1_000_000 });

function readCachePolicy(value: unknown, path: string): CachePolicy {
  if (typeof value !== "object" || value === null)
    refuse(path, 'an object with kind "auto", "full" or "rolling"', value);
  const policy = value as Record<string, unknown>;
  switch (policy.kind) {
    case "auto":
    case "full":
      refuseUnknownKeys(policy, ["kind"], path);
      return Object.freeze({ kind: policy.kind });
    case "rolling":
      refuseUnknownKeys(policy, ["kind", "windowFrames", "sinkFrames"], path);
      return Object.freeze({
        kind: "rolling",
        windowFrames: frames(policy.windowFrames, `${path}.windowFrames`),
        sinkFrames: finite({ integer: true, min: 0, max: 1_000_000 })(
          policy.sinkFrames === undefined ? 0 : policy.sinkFrames,
          `${path}.sinkFrames`,
        ),
      });
    default:
      return refuse(`${path}.kind`, 'one of "auto", "full", "rolling"', policy.kind);
  }
}

const make = recordFactory<ModelConfig>("ModelConfig", {
  compile: optional(flag),
  graphCapture: optional(flag),
  attentionBackend: withDefault(text({ maxLength: 64 }), ATTENTION_BACKENDS.auto),
  cachePolicy: withDefault(readCachePolicy, Object.freeze({ kind: "auto" })),
  denoisingSteps: optional(finite({ integer: true, min: 1, max: 1000 })),
  framesPerStep: optional(finite({ integer: true, min: 1, max: 1024 })),
  threads: optional(finite({ integer: true, min: 1, max: 1024 })),
  extra: withDefault(jsonMapping, Object.freeze({})),
});

/** Makes a `ModelConfig` with defaults; refuses wrong types, values out of range and unknown keys. */
export function modelConfig(input: ModelConfigInput = {}): ModelConfig {
  return make(input);
}
