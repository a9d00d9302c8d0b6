import type {
  InferenceConfigInput,
  Json,
  LoadProgress,
  ModelInputsInput,
  RestoreOptions,
  SessionDescriptionInput,
  SessionSnapshot,
  StepRequestInput,
  StepResultInput,
} from "@dreamloop/core";
import type { ThreadError } from "../../host/thread-error.ts";
import type { WorldReferenceInput } from "../../host/world-reference.ts";

/** What the thread of a runtime is started with. */
export interface RuntimeThreadStart {
  /** The world to load. */
  readonly reference: WorldReferenceInput;
  /** How it runs. */
  readonly config: InferenceConfigInput;
  /** Memory that both sides share, see `ThreadMarks`. */
  readonly marks: SharedArrayBuffer;
}

/** What is asked of a session, as plain data. */
export type SessionCall =
  | { readonly method: "open"; readonly inputs: ModelInputsInput; readonly seed: number }
  | { readonly method: "step"; readonly inputs: ModelInputsInput }
  | { readonly method: "finalize" }
  | { readonly method: "discard" }
  | { readonly method: "reset"; readonly inputs?: ModelInputsInput; readonly seed?: number }
  | { readonly method: "snapshot" }
  | { readonly method: "restore"; readonly snapshot: SessionSnapshot; readonly options: RestoreOptions }
  | { readonly method: "close" };

/** What a session answers. */
export interface SessionAnswer {
  /** What the next step needs; absent when the rollout is complete, or while a step is pending. */
  readonly next?: StepRequestInput;
  /** What it can do, after `open`. */
  readonly can?: { readonly finalize: boolean; readonly discard: boolean; readonly snapshot: boolean };
  /** The result of a step. */
  readonly result?: StepResultInput;
  /** The snapshot. */
  readonly snapshot?: SessionSnapshot;
}

/** What a loaded runtime says of itself. */
export interface RuntimeThreadInfo {
  /** What sessions deliver. */
  readonly description: SessionDescriptionInput;
  /** Sessions that may be open at a time. */
  readonly maxSessions: number;
  /** Whether its steps wait for the wall clock. */
  readonly ownsPacing: boolean;
  /** What it says of itself. */
  readonly facts: { readonly [key: string]: Json };
}

/** To the thread of a runtime. */
export type ToRuntimeThread =
  | { readonly type: "cancel_load" }
  | { readonly type: "call"; readonly id: number; readonly session: number; readonly call: SessionCall }
  | { readonly type: "abort"; readonly id: number }
  | { readonly type: "close" }
  /** Ends the thread as it is. */
  | { readonly type: "exit" };

/** From the thread of a runtime. */
export type FromRuntimeThread =
  | { readonly type: "imported" }
  | { readonly type: "progress"; readonly progress: LoadProgress }
  | { readonly type: "loaded"; readonly info: RuntimeThreadInfo }
  | { readonly type: "load_failed"; readonly error: ThreadError }
  | { readonly type: "answer"; readonly id: number; readonly answer: SessionAnswer }
  | { readonly type: "refused"; readonly id: number; readonly error: ThreadError };
