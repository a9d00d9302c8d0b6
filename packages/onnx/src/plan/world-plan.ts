import type { TensorOpDeclaration } from "../manifest/world-manifest.ts";
import type { TensorSignature } from "../manifest/tensor.ts";
import type { SamplerSettings } from "./samplers/sampler.ts";
import type { Source, Target } from "./reference.ts";

/** When an item runs: both parts have to hold. */
export interface RunCondition {
  /** An initial input that must have been given. */
  readonly when?: string | undefined;
  /** An initial input that must not have been given. */
  readonly unless?: string | undefined;
}

/** One input of a graph call. */
export interface PlannedInput {
  /** Name of the graph's input in its file. */
  readonly port: string;
  /** What the graph takes. */
  readonly signature: TensorSignature;
  /** Where it comes from. */
  readonly source: Source;
}

/** One output of a graph call. */
export interface PlannedOutput {
  /** Name of the graph's output in its file. */
  readonly port: string;
  /** What the graph gives. */
  readonly signature: TensorSignature;
  /** Where it goes. */
  readonly targets: readonly Target[];
}

interface PlannedBase {
  /** Where the item stands in the manifest. */
  readonly path: string;
  /** When it runs. */
  readonly condition: RunCondition;
}

/** Runs one graph. */
export interface PlannedGraphCall extends PlannedBase {
  /** Tells items apart. */
  readonly type: "graph";
  /** Name of the graph. */
  readonly graph: string;
  /** What it is fed. */
  readonly inputs: readonly PlannedInput[];
  /** What is used of its outputs. */
  readonly outputs: readonly PlannedOutput[];
}

/** Frames before those that are sampled. */
export interface PlannedContext {
  /** Where they come from. */
  readonly source: Source;
  /** Their type and shape. */
  readonly signature: TensorSignature;
  /** The axis of frames. */
  readonly axis: number;
  /** How many they are. */
  readonly length: number;
  /** The noise level that is told for them. */
  readonly level: number;
}

/** One further prediction of guidance. */
export interface PlannedBranch {
  /** Its strength, 1 for none: a number, or where it comes from in each step. */
  readonly scale: number | Source;
  /** What the graph is fed. */
  readonly inputs: readonly PlannedInput[];
}

/** Samples a latent. */
export interface PlannedSample extends PlannedBase {
  /** Tells items apart. */
  readonly type: "sample";
  /** Name of the denoising graph. */
  readonly graph: string;
  /** Name of the sampler. */
  readonly sampler: string;
  /** Where sampling starts from. */
  readonly start: Source;
  /** The latent: floats, every axis known. */
  readonly latent: { readonly dtype: "float32" | "float16"; readonly shape: readonly number[] };
  /** Frames that the graph sees before those that are sampled. */
  readonly context?: PlannedContext | undefined;
  /** Settings of the sampler as the manifest gives them. */
  readonly settings: SamplerSettings;
  /** What the graph is fed. */
  readonly inputs: readonly PlannedInput[];
  /** Further predictions of guidance. */
  readonly branches: readonly PlannedBranch[];
  /** How much of the deviation is brought back after guidance. */
  readonly rescale: number | Source;
  /** Name of the graph's output that the sampler uses. */
  readonly prediction: string;
  /** Noise levels by number of denoising steps. */
  readonly schedules: ReadonlyMap<number, readonly number[]>;
  /** Denoising steps unless the configuration says otherwise. */
  readonly defaultSteps: number;
  /** Where the finished latent goes. */
  readonly targets: readonly Target[];
}

/** Brings a latent back to a noise level. */
export interface PlannedAddNoise extends PlannedBase {
  /** Tells items apart. */
  readonly type: "add_noise";
  /** Name of the sampler whose rule holds. */
  readonly sampler: string;
  /** The clean latent. */
  readonly latent: Source;
  /** The noise. */
  readonly noise: Source;
  /** Its type and shape, that of the latent. */
  readonly signature: TensorSignature;
  /** The noise level. */
  readonly level: number;
  /** Settings of the sampler as the manifest gives them. */
  readonly settings: SamplerSettings;
  /** Where the result goes. */
  readonly targets: readonly Target[];
}

/** Copies a tensor. */
export interface PlannedSet extends PlannedBase {
  /** Tells items apart. */
  readonly type: "set";
  /** Where it comes from. */
  readonly from: Source;
  /** Its type and shape. */
  readonly signature: TensorSignature;
  /** Where it goes. */
  readonly targets: readonly Target[];
}

/** Changes a tensor. */
export interface PlannedTransform extends PlannedBase {
  /** Tells items apart. */
  readonly type: "transform";
  /** Where it comes from. */
  readonly from: Source;
  /** Its type and shape. */
  readonly signature: TensorSignature;
  /** What is done with it. */
  readonly ops: readonly TensorOpDeclaration[];
  /** Where the result goes. */
  readonly targets: readonly Target[];
}

/** Joins tensors. */
export interface PlannedConcat extends PlannedBase {
  /** Tells items apart. */
  readonly type: "concat";
  /** The parts in order. */
  readonly parts: readonly { readonly source: Source; readonly signature: TensorSignature }[];
  /** The axis, from 0. */
  readonly axis: number;
  /** Where the result goes. */
  readonly targets: readonly Target[];
}

/** One item with all its references resolved. */
export type PlannedItem =
  PlannedGraphCall | PlannedSample | PlannedAddNoise | PlannedSet | PlannedTransform | PlannedConcat;

/** The pipeline of a world with every reference resolved and every type compared. */
export interface WorldPlan {
  /** Runs at the start, and in part on updates. */
  readonly condition: readonly PlannedItem[];
  /** For each item of `condition` the initial inputs that it depends on. */
  readonly conditionInputs: readonly ReadonlySet<string>[];
  /** Runs when a rollout starts. */
  readonly start: readonly PlannedItem[];
  /** Runs in the first step. */
  readonly firstStep: readonly PlannedItem[];
  /** Runs after the first step. */
  readonly firstFinalize: readonly PlannedItem[];
  /** Runs in each other step. */
  readonly step: readonly PlannedItem[];
  /** Runs after each other step. */
  readonly finalize: readonly PlannedItem[];
}
