import type { DriverHistory } from "../snapshot/driver-history.ts";
import type { SessionState } from "../snapshot/session-state.ts";
import type { StateBinding } from "../snapshot/state-binding.ts";
import type { InferenceRuntime } from "../model/inference-session.ts";
import type { LoadProgress } from "../adapter/model-adapter.ts";
import type { MetricsRecorder } from "../foundation/metrics/metrics-recorder.ts";
import type { OutputArtifact } from "./output-target.ts";
import type { RunPlanOptions } from "../rollout/run-plan.ts";
import type { FrameHasher, RunObserver, RunOutcome } from "../rollout/run-observer.ts";
import type { StageListener } from "../rollout/stages.ts";
import type { RunWarning } from "./run-warnings.ts";
import type { WaitLimits } from "../foundation/time/wait-guard.ts";
import type { Clock } from "../foundation/time/clock.ts";

/** A moment to go on from instead of starting the world. */
export interface RunFrom {
  /** The complete state. */
  readonly state: SessionState;
  /** What it belongs to; checked against what runs. Absent: the caller vouches for it. */
  readonly binding?: StateBinding;
  /** Goes on with another engine or another version of it; frames may then differ. Default false. */
  readonly allowOtherEngine?: boolean;
  /** Seed of every draw from here on; absent: that of the moment. */
  readonly seed?: number;
  /** The moment file that it came from, for recordings. */
  readonly moment?: { readonly address: string; readonly bytes: Uint8Array };
}

/** What both drivers take: what is to run, and what runs it. */
export interface RunOptions extends Omit<RunPlanOptions, "sourceSchema">, RunServices {}

/** What serves a run beside its plan: clock, runtime, and those who watch. */
export interface RunServices {
  /** The clock; only the realtime driver waits for it. */
  readonly clock: Clock;
  /** A runtime that is loaded already and shared; its owner closes it. Absent: one is created and closed with the run. */
  readonly runtime?: InferenceRuntime;
  /** A moment to go on from, whose initial inputs and seed then count; absent: the world starts. */
  readonly from?: RunFrom;
  /** Keeps what a rewind needs; closed with the run. Absent: a rewind is refused. */
  readonly history?: DriverHistory;
  /** Watches the run: traces, statistics. */
  readonly observers?: readonly RunObserver[];
  /** Where measurements go; closed with the run. */
  readonly metrics?: MetricsRecorder;
  /** Hashes frames for the observers; absent: no hashes. */
  readonly frameHasher?: FrameHasher;
  /** Whether frames are checked for NaN and odd statistics; default true. */
  readonly checkFrames?: boolean;
  /** Told about the stages of each step. */
  readonly stages?: StageListener;
  /** Told about the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Told about what is odd but does not stop the run. */
  readonly onWarning?: (warning: RunWarning) => void;
  /** How long code that is not the run's own is waited for; default `DEFAULT_WAIT_LIMITS`. */
  readonly waits?: Partial<WaitLimits>;
  /** Cancels the run at the next step boundary, and a load at once. */
  readonly signal?: AbortSignal;
}

/** What a run was. */
export interface RunReport {
  /** Why it ended. */
  readonly outcome: RunOutcome;
  /** Steps that were committed, over all generations. */
  readonly stepCount: number;
  /** Frames that were handed to targets. */
  readonly frameCount: number;
  /** Resets that were applied. */
  readonly resetCount: number;
  /** Session time at the end of the last window, in seconds. */
  readonly sessionSeconds: number;
  /** What the targets made, in their order. */
  readonly artifacts: readonly OutputArtifact[];
  /** Occurrences of each kind of warning. */
  readonly warnings: Readonly<Record<string, number>>;
}
