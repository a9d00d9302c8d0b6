import type { MomentPosition } from "../snapshot/driver-history.ts";
import type { SessionState } from "../snapshot/session-state.ts";
import type { StateBinding } from "../snapshot/state-binding.ts";
import type { PendingInput } from "../inputs/pending-input.ts";
import type { UserInputEventInput } from "../inputs/user-input-event.ts";
import type { OutputArtifact } from "./output-target.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import type { RunOptions, RunReport } from "./run-options.ts";

/** What the realtime driver takes beside `RunOptions`. */
export interface RealtimeOptions extends RunOptions {
  /** The live queue of this session; default a new `PendingInput`. */
  readonly input?: PendingInput;
  /** Where chunks go; more can be added while it runs. */
  readonly outputs?: readonly ChunkSink[];
  /** By how many frames generation may lead presentation, at least the frames of one step; default those of two steps. */
  readonly leadFrames?: number;
  /** Steps to run over all generations; default no limit. */
  readonly stepLimit?: number;
  /** Called after the pacing wait and before input is read: the place to take in what has arrived meanwhile. */
  readonly pollInput?: () => void;
}

/** Counters of a realtime run. */
export interface RealtimeStatus {
  /** Steps that were committed, over all generations. */
  readonly stepCount: number;
  /** Frames that were handed to sinks. */
  readonly frameCount: number;
  /** Resets so far. */
  readonly generation: number;
  /** Whether session time stands still. */
  readonly paused: boolean;
  /** Session time in seconds. */
  readonly sessionSeconds: number;
  /** Frames that are generated but not yet due. */
  readonly leadFrames: number;
  /** Steps that were later than their due time. */
  readonly underrunCount: number;
  /** Sum of their lateness in seconds. */
  readonly stallSeconds: number;
  /** Frames held back because a reset had been asked for meanwhile. */
  readonly discardedFrames: number;
  /** Number of the newest client message that a step has seen; absent before the first. */
  readonly inputSequence?: number;
}

/** A moment so many seconds of world time before now, on the branch of now; the oldest that is kept when it does not reach back so far. */
export interface MomentAgo {
  /** Seconds of world time. */
  readonly secondsAgo: number;
}

/** What a rewind gives. */
export interface RewindAnswer {
  /** The new generation. */
  readonly generation: number;
  /** The moment from which it goes on. */
  readonly from: MomentPosition;
}

/** A moment of a run, complete. */
export interface CapturedState {
  /** The state. */
  readonly state: SessionState;
  /** What it belongs to. */
  readonly binding: StateBinding;
}

/** A session that runs live. Control calls take effect at the next step boundary and resolve then. */
export interface RealtimeRun {
  /** Resolves when the run is over and everything is closed; rejects with the first error. */
  readonly done: Promise<RunReport>;
  /** Resolves when the session has started; rejects when it could not. */
  readonly started: Promise<void>;
  /**
   * Takes device events, with times of the driver's clock in seconds. Never refuses because of load; an event with a wrong payload is
   * refused with an error. `sequence` is the number of the client message they came in.
   */
  push(events: readonly UserInputEventInput[], options?: { readonly sequence?: number }): void;
  /** Stops session time. */
  pause(): void;
  /** Lets session time go on. */
  resume(): void;
  /** While paused: runs one step. */
  stepOnce(): void;
  /** Starts the rollout anew at the next boundary; resolves with the new generation. */
  reset(options?: { readonly seed?: number }): Promise<number>;
  /**
   * Goes back to a moment of the history at the next boundary and goes on from there as a new generation; resolves when that was applied. What
   * is held now stays held. Rejects with `not_found` for a moment that is not kept, `unavailable` without a history.
   */
  rewind(to: MomentPosition | MomentAgo): Promise<RewindAnswer>;
  /** The complete state at the next boundary, or at a moment of the history, without disturbing the run. */
  capture(at?: MomentPosition): Promise<CapturedState>;
  /** As `capture`, to begin another session from it; observers are told. */
  fork(at?: MomentPosition): Promise<CapturedState>;
  /** Adds a sink while the session runs. */
  addOutput(sink: ChunkSink): Promise<void>;
  /** Removes a sink, closes it and gives what it made. */
  removeOutput(sink: ChunkSink): Promise<readonly OutputArtifact[]>;
  /** Counters of now. */
  status(): RealtimeStatus;
  /** Ends the run at the next step boundary; idempotent, gives `done`. */
  close(): Promise<RunReport>;
}
