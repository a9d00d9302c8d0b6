import type { TensorOpDeclaration } from "../manifest/world-manifest.ts";
import type { TensorSignature } from "../manifest/tensor.ts";
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
  /** The latent: float32, every axis known. */
  readonly latent: { readonly dtype: "float32"; readonly shape: readonly number[] };
  /** What the graph is fed. */
  readonly inputs: readonly PlannedInput[];
  /** The same for the second prediction of guidance. */
  readonly otherInputs?: readonly PlannedInput[] | undefined;
  /** Strength of guidance; 1 without. */
  readonly guidanceScale: number;
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
