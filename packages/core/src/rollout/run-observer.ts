import type { Json } from "../foundation/validate/reader.ts";
import type { InferenceConfig } from "../model/inference-config.ts";
import type { UserInputEvent } from "../inputs/user-input-event.ts";
import type { UserInputSchema } from "../inputs/user-input-schema.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-result.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";

/** What is known when a run starts: the header of a trace. */
export interface RunStart {
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** Which candidate of `config.model` runs. */
  readonly candidateIndex: number;
  /** What the session delivers. */
  readonly description: SessionDescription;
  /** Seed of every random draw. */
  readonly seed: number;
  /** What the input source can send. */
  readonly sourceSchema: UserInputSchema;
  /** The initial inputs after mapping. */
  readonly initialInputs: ModelInputs;
  /** The initial inputs as the caller gave them, before mapping. */
  readonly requestedInputs: ModelInputs;
  /** Versions of adapter, mapping and converters by name, such as `mapping:drive`. */
  readonly versions: Readonly<Record<string, string>>;
  /** What the runtime says of itself (kernels, threads, weight hash). */
  readonly runtimeFacts: { readonly [key: string]: Json };
  /** The moment that the run goes on from; absent: the world starts. */
  readonly origin?: RunOrigin;
}

/** The moment that a run goes on from. */
export interface RunOrigin {
  /** Its generation, which is that of the first step. */
  readonly generation: number;
  /** The step that comes first. */
  readonly stepIndex: number;
  /** Session time there, at which the first window starts, in seconds. */
  readonly sessionSeconds: number;
  /** The moment file that it came from, for whoever keeps a recording; absent: it came from memory. */
  readonly moment?: { readonly address: string; readonly bytes: Uint8Array };
}

/** One committed step: what it saw and what it gave. */
export interface StepRecord {
  /** Number of the step over all generations, from 0. */
  readonly stepNumber: number;
  /** The result as targets receive it; its pixels may be read during the call only. */
  readonly result: StepResult;
  /** The window of input that was used. */
  readonly window: TimeWindow;
  /** The events of the window as the source gave them, control events included. */
  readonly events: readonly UserInputEvent[];
  /** What the session received. */
  readonly modelInputs: ModelInputs;
  /** The converter that supplied each modality. */
  readonly canonicalSources: Readonly<Record<string, string>>;
  /** One hash for each frame, in order; absent when no hasher is attached. */
  readonly frameHashes?: readonly string[];
  /** Whether the frames were held back because a reset had been asked for meanwhile. */
  readonly discarded: boolean;
  /** When things happened on the driver's clock; realtime only. */
  readonly timing?: StepTiming;
}

/** Times of a realtime step, in seconds of the driver's clock. */
export interface StepTiming {
  /** When input was read: the end of the window. */
  readonly readSeconds: number;
  /** When the frames were handed to the sinks. */
  readonly handedOverSeconds: number;
  /** When the first frame is due; absent when the step's frames were not handed over. */
  readonly firstDueSeconds?: number;
  /** Frames generated but not yet due, after the hand-over. */
  readonly leadFrames: number;
}

/** A reset that was applied at a step boundary. */
export interface ResetRecord {
  /** The new generation. */
  readonly generation: number;
  /** Session time of the boundary in seconds. */
  readonly timestampSeconds: number;
  /** Seed of the new rollout. */
  readonly seed: number;
  /** The initial inputs of the new rollout after mapping. */
  readonly initialInputs: ModelInputs;
  /** Mouse and wheel movements that were pending and are cleared. */
  readonly clearedDeltas: number;
}

/** A return to an earlier moment that was applied at a step boundary. */
export interface RewindRecord {
  /** The new generation. */
  readonly generation: number;
  /** Session time of the boundary in seconds; it goes on over a rewind. */
  readonly timestampSeconds: number;
  /** The generation of the moment. */
  readonly toGeneration: number;
  /** The step that came next there, and comes next now. */
  readonly stepIndex: number;
  /** Seed of the rollout. */
  readonly seed: number;
  /** Mouse and wheel movements that were pending and are cleared. */
  readonly clearedDeltas: number;
}

/** A session that was begun from a moment of this one. */
export interface ForkRecord {
  /** The generation of the moment. */
  readonly generation: number;
  /** The step that comes next there. */
  readonly stepIndex: number;
}

/** A stop of the session's time, or its end. */
export interface PauseRecord {
  /** Whether the session stands still from here on. */
  readonly paused: boolean;
  /** Session time in seconds. */
  readonly timestampSeconds: number;
}

/** How a run ended. */
export interface RunEnd {
  /** Why it ended. */
  readonly outcome: RunOutcome;
  /** Steps that were committed, over all generations. */
  readonly stepCount: number;
  /** Frames that were delivered. */
  readonly frameCount: number;
}

/** Why a run ended. */
export const RUN_OUTCOMES = {
  /** The rollout, the input or the asked number of steps was complete. */
  completed: "completed",
  /** A `close` event or the caller ended it. */
  closed: "closed",
  /** The caller's signal ended it. */
  cancelled: "cancelled",
  /** An error ended it. */
  failed: "failed",
} as const;

/** One of `RUN_OUTCOMES`. */
export type RunOutcome = (typeof RUN_OUTCOMES)[keyof typeof RUN_OUTCOMES];

/**
 * Watches a run: traces, statistics, status displays. All methods are optional and called in order. In batch a returned promise
 * is awaited; in realtime nothing waits for it and a rejection is reported through `onWarning` of the driver.
 */
export interface RunObserver {
  /** The session has started. */
  runStarted?(start: RunStart): void | Promise<void>;
  /** A step is committed. */
  stepCommitted?(record: StepRecord): void | Promise<void>;
  /** A reset was applied. */
  resetApplied?(record: ResetRecord): void | Promise<void>;
  /** The session went back to an earlier moment. */
  rewindApplied?(record: RewindRecord): void | Promise<void>;
  /** Another session was begun from a moment of this one. */
  forkTaken?(record: ForkRecord): void | Promise<void>;
  /** The session was paused or goes on. */
  pauseChanged?(record: PauseRecord): void | Promise<void>;
  /** The run is over; called once, whatever the outcome. */
  runEnded?(end: RunEnd): void | Promise<void>;
}

/** Hashes one frame: SHA-256 over width, height, format and packed RGB8, in hexadecimal; see `frameHashInput`. */
export interface FrameHasher {
  /** The digest of the parts joined, as 64 hexadecimal digits. The parts may be read during the call only. */
  digest(parts: readonly Uint8Array[]): string | Promise<string>;
}
