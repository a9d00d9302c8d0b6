import type { Clock } from "@dreamloop/core";
import type { Graph } from "../load/engine.ts";
import type { Tensor } from "../manifest/tensor.ts";
import type { InitialEncoder } from "./initial-encoder.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import type { WorldPlan } from "../plan/world-plan.ts";
import type { SamplerRegistry } from "../plan/samplers/sampler.ts";
import type { CacheSpan } from "./state/cache-span.ts";

/** Everything that the sessions of one runtime share; nothing of it changes while they run. */
export interface SessionWorld {
  /** The manifest. */
  readonly manifest: WorldManifest;
  /** Its pipeline. */
  readonly plan: WorldPlan;
  /** The loaded graphs by name. */
  readonly graphs: ReadonlyMap<string, Graph>;
  /** The constants by name. */
  readonly constants: ReadonlyMap<string, Tensor>;
  /** The samplers by name. */
  readonly samplers: SamplerRegistry;
  /** Turns initial inputs into tensors. */
  readonly encoder: InitialEncoder;
  /** What each cache keeps. */
  readonly spans: ReadonlyMap<string, CacheSpan>;
  /** Denoising steps of every sample item; absent: each item's default. */
  readonly denoisingSteps: number | undefined;
  /** Names the world, its weights and the settings that snapshots depend on. */
  readonly identity: string;
  /** For timings of the graphs; absent: none are taken. */
  readonly clock: Clock | undefined;
}

/** Index of the first frame of a step. */
export function firstFrameOfStep(manifest: WorldManifest, stepIndex: number): number {
  const { framesPerStep, firstStepFrames = framesPerStep } = manifest.video;
  return stepIndex === 0 ? 0 : firstStepFrames + (stepIndex - 1) * framesPerStep;
}
