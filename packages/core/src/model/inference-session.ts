import type { Json } from "../foundation/validate/reader.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import type { SessionDescription } from "./session-description.ts";
import type { StepRequest, StepRequestInput } from "../mapping/step-request.ts";
import type { StepResult, StepResultInput } from "./step-result.ts";

/** What a step may be told beside its inputs. */
export interface StepOptions {
  /** Cancels the step; its state is discarded. */
  readonly signal?: AbortSignal;
}

/** What a reset may change. */
export interface ResetOptions {
  /** Initial inputs of the new rollout; absent: those of the session as amended by committed updates. */
  readonly inputs?: ModelInputs;
  /** Seed of the new rollout; absent: the same. */
  readonly seed?: number;
  /** Cancels the reset. */
  readonly signal?: AbortSignal;
}

/** What a restore may change. */
export interface RestoreOptions {
  /** Seed of every draw from here on; absent: that of the snapshot. */
  readonly seed?: number;
}

/** The complete state of a model session at a step boundary; `data` holds typed arrays and plain data only; bytes alone are fine. */
export interface SessionSnapshot {
  /** Version of the layout of `data`, set by the adapter. */
  readonly version: string;
  /** Structured-cloneable content. */
  readonly data: unknown;
}

/**
 * One rollout with isolated state. A step is a transaction: when `step` throws, the state is what it was before. Where a
 * session has `finalizeStep`, a step's state is pending until `finalizeStep` succeeded; `discardStep` drops it.
 */
export interface InferenceSession {
  /** What the next step needs, or nothing (`undefined`) when the rollout is complete. */
  nextStepRequest(): StepRequest | StepRequestInput | undefined;
  /** Runs one step and returns its frames. */
  step(inputs: ModelInputs, options: StepOptions): StepResult | StepResultInput | Promise<StepResult | StepResultInput>;
  /** Writes the state of the step just returned (a KV cache, say), off the presentation path; the driver awaits it before the next step. */
  finalizeStep?(options: StepOptions): void | Promise<void>;
  /** Drops the step just returned as if it had not run; called when its frames fail the check or `finalizeStep` failed. */
  discardStep?(): void;
  /** Starts the rollout anew. */
  reset(options: ResetOptions): void | Promise<void>;
  /** The complete state at this step boundary. */
  snapshot?(): SessionSnapshot | Promise<SessionSnapshot>;
  /** Continues from a snapshot of the same world and configuration; when that fails, the rollout goes on as it was. The snapshot stays unchanged. */
  restore?(snapshot: SessionSnapshot, options?: RestoreOptions): void | Promise<void>;
  /** Frees the session; idempotent. */
  close(): void | Promise<void>;
  /** The same as `close`. */
  [Symbol.asyncDispose]?(): Promise<void>;
}

/** What a session is started with. */
export interface StartSessionOptions {
  /** Seed of every random draw, a safe integer of at least 0. */
  readonly seed: number;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** The heavyweight, reusable thing: loaded weights, compiled graphs, worker processes. */
export interface InferenceRuntime {
  /** What its sessions deliver. */
  describe(): SessionDescription;
  /** How many sessions may be active at a time; default 1. */
  readonly maxSessions?: number;
  /** Whether its steps wait for the wall clock themselves; refused by the realtime driver, whose pacer alone owns the cadence. */
  readonly ownsPacing?: boolean;
  /** Starts a rollout from initial inputs. */
  startSession(inputs: ModelInputs, options: StartSessionOptions): InferenceSession | Promise<InferenceSession>;
  /** Facts for traces and statistics: kernels, engine version, threads, weight hash; plain JSON. */
  facts?(): { readonly [key: string]: Json };
  /** Frees everything; idempotent. */
  close(): void | Promise<void>;
  /** The same as `close`. */
  [Symbol.asyncDispose]?(): Promise<void>;
}
