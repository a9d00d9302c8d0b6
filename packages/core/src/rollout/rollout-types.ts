import type { CanonicalInputs } from "../canonical/canonical-inputs.ts";
import type { CanonicalizerState } from "../canonical/input-canonicalizer.ts";
import type { FrameWarning } from "../model/frame-check.ts";
import type { SessionSnapshot } from "../model/inference-session.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import type { StepResult } from "../model/step-result.ts";
import type { Clock } from "../foundation/time/clock.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import type { Mapping } from "../foundation/validate/reader.ts";
import type { StageListener } from "./stages.ts";

/** How a rollout is watched and checked. */
export interface RolloutOptions {
  /** Whether frames are checked; default true. */
  readonly checkFrames?: boolean;
  /** Told about the stages of each step; needs `clock`. */
  readonly stages?: StageListener;
  /** The driver's clock, for `stages`. */
  readonly clock?: Clock;
  /** Told about frames that look odd. */
  readonly onFrameWarning?: (warning: FrameWarning, result: StepResult) => void;
  /** Told about updates that the model refuses, which are then left out; absent: such a step fails with `update_refused`. */
  readonly onUpdateRefused?: (fields: readonly string[]) => void;
  /** Gives every wait for the session an end; absent: it is waited for without a limit. */
  readonly waits?: Waits;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** What one step gave, before it is committed. */
export interface StepOutcome {
  /** The result, complete with window, generation and input sequence. */
  readonly result: StepResult;
  /** What the session received. */
  readonly modelInputs: ModelInputs;
  /** The canonical values behind it. */
  readonly canonical: CanonicalInputs;
}

/** The complete state of a session at a step boundary; structured-cloneable. */
export interface RolloutSnapshot {
  /** Resets so far. */
  readonly generation: number;
  /** Steps since the start or the last reset. */
  readonly stepIndex: number;
  /** Steps over all generations. */
  readonly stepNumber: number;
  /** Seed of the current rollout. */
  readonly seed: number;
  /** Initial inputs as asked for and amended by committed updates. */
  readonly initial: Mapping;
  /** State of the converters. */
  readonly canonicalizerState: CanonicalizerState;
  /** State of the mapping. */
  readonly mappingState: unknown;
  /** State of the model session. */
  readonly session: SessionSnapshot;
}
