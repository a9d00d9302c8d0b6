import type { InferenceConfig } from "../../model/inference-config.ts";
import type { UserInputSchema } from "../../inputs/user-input-schema.ts";
import type { SessionDescription } from "../../model/session-description.ts";
import type { RunOutcome } from "../../rollout/run-observer.ts";
import type { TimeWindow } from "../../foundation/time/time-window.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import type { StoredValue } from "../value/resolve-value.ts";

/** The name that the first line of every trace carries. */
export const TRACE_FORMAT = "dreamloop-trace";

/** Version of the trace format. A field that readers may overlook keeps it; everything else raises it. */
export const TRACE_FORMAT_VERSION = 2;

/** The oldest version that is still read: the first, in which no run could go back or go on from a moment. */
export const OLDEST_TRACE_FORMAT_VERSION = 1;

/** How frames are hashed: SHA-256 over width, height, `rgb8` and packed RGB8; see `frameHashInput`. */
export const FRAME_HASH_NAME = "sha256/rgb8";

/** Whether a replay can be held to the very same frames. */
export interface TraceExactness {
  /** Whether the same machine, runtime build, threads and instruction set give the same frames. */
  readonly promised: boolean;
  /** Why not, when not. */
  readonly reason?: string;
}

/** The moment that a recorded run went on from. */
export interface TraceOrigin {
  /** Its generation, which is that of the first step. */
  readonly generation: number;
  /** Index of the first step. */
  readonly stepIndex: number;
  /** Session time there in seconds. */
  readonly sessionSeconds: number;
  /** Address of the moment file in the payload store; absent: it was not kept, so that the trace cannot be replayed. */
  readonly moment?: string;
}

/** What is known when a run starts: the first line of a trace. */
export interface TraceHeader {
  /** Version of the format. */
  readonly formatVersion: number;
  /** Version of Dreamloop that recorded. */
  readonly dreamloopVersion: string;
  /** When the run began, by the machine's calendar (ISO 8601); absent: not told. */
  readonly recordedAt?: string;
  /** The world that ran. */
  readonly worldId: string;
  /** Seed of every random draw of the first generation. */
  readonly seed: number;
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** Which candidate of `config.model` ran. */
  readonly candidateIndex: number;
  /** Versions of adapter, mappings and converters by name, such as `mapping:drive`. */
  readonly versions: Readonly<Record<string, string>>;
  /** What the runtime said of itself: weight and bundle hashes, engine, kernels, threads, number types. */
  readonly runtimeFacts: { readonly [key: string]: Json };
  /** What the session delivered. */
  readonly description: SessionDescription;
  /** What the input source could send. */
  readonly sourceSchema: UserInputSchema;
  /** The initial inputs as the caller gave them: the slots of `ModelInputs`. */
  readonly requestedInputs: StoredValue;
  /** Address of the initial inputs after mapping; absent: they hold what a trace cannot. */
  readonly initialInputs?: string;
  /** Whether the model inputs of every step are kept in the payload store. */
  readonly modelInputsRecorded: boolean;
  /** How frames are hashed. */
  readonly frameHash: string;
  /** The machine and its software: processor, instruction sets, engine versions. */
  readonly environment: { readonly [key: string]: Json };
  /** Whether a replay can be held to the very same frames. */
  readonly exactness: TraceExactness;
  /** The moment that the run went on from; absent: the world was started. */
  readonly origin?: TraceOrigin;
}

/** One event as the source gave it. */
export interface TraceEvent {
  /** Session time in seconds. */
  readonly timestampSeconds: number;
  /** The kind of event. */
  readonly eventType: string;
  /** The content. */
  readonly payload: StoredValue;
  /** Who made it. */
  readonly source?: string;
  /** Correlation id. */
  readonly sourceEventId?: string;
}

/** A reset that was applied before a step. */
export interface TraceReset {
  /** The step over all generations before which it was applied. */
  readonly stepNumber: number;
  /** The new generation. */
  readonly generation: number;
  /** Seed of the new rollout. */
  readonly seed: number;
  /** Session time of the boundary in seconds. */
  readonly timestampSeconds: number;
  /** Movements that were pending and were cleared. */
  readonly clearedDeltas: number;
  /** Address of the new rollout's initial inputs after mapping; absent: they hold what a trace cannot. */
  readonly initialInputs?: string;
}

/** A return to an earlier moment that was applied before a step. */
export interface TraceRewind {
  /** The step over all generations before which it was applied. */
  readonly stepNumber: number;
  /** The new generation. */
  readonly generation: number;
  /** The generation of the moment. */
  readonly toGeneration: number;
  /** The step that came next there. */
  readonly stepIndex: number;
  /** Seed of the rollout. */
  readonly seed: number;
  /** Session time of the boundary in seconds. */
  readonly timestampSeconds: number;
  /** Movements that were pending and were cleared. */
  readonly clearedDeltas: number;
}

/** Another session that was begun from a moment of the run. */
export interface TraceFork {
  /** Steps over all generations that were committed before. */
  readonly stepNumber: number;
  /** The generation of the moment. */
  readonly generation: number;
  /** The step that came next there. */
  readonly stepIndex: number;
}

/** A change of initial values that was committed with a step. */
export interface TraceUpdate {
  /** The step over all generations with which it was committed. */
  readonly stepNumber: number;
  /** The new values by field name. */
  readonly values: StoredValue;
}

/** One committed step with everything that belongs to it. */
export interface TraceStep {
  /** Number over all generations, from 0. */
  readonly stepNumber: number;
  /** Resets so far. */
  readonly generation: number;
  /** Number since the start or the last reset. */
  readonly stepIndex: number;
  /** The window of input. */
  readonly window: TimeWindow;
  /** Number of the newest client message that the step saw. */
  readonly inputSequence?: number;
  /** Address of the model inputs: the hash by which they are compared; absent: they hold what a trace cannot. */
  readonly modelInputs?: string;
  /** Why `modelInputs` is absent. */
  readonly modelInputsNote?: string;
  /** The converter that supplied each modality. */
  readonly canonicalSources: Readonly<Record<string, string>>;
  /** Frames that the step gave. */
  readonly frameCount: number;
  /** One hash for each frame; absent when frames were not hashed. */
  readonly frameHashes?: readonly string[];
  /** Whether the frames were held back because a reset had been asked for meanwhile. */
  readonly discarded: boolean;
  /** The events of the window. */
  readonly events: readonly TraceEvent[];
  /** The return to an earlier moment that was applied before the step, and before its resets. */
  readonly rewind?: TraceRewind;
  /** Resets that were applied before the step. */
  readonly resets: readonly TraceReset[];
  /** What was updated with the step. */
  readonly update?: TraceUpdate;
}

/** A stop of the session's time, or its end. */
export interface TracePause {
  /** Steps over all generations that were committed before. */
  readonly stepNumber: number;
  /** Whether the session stands still from here on. */
  readonly paused: boolean;
  /** Session time in seconds. */
  readonly timestampSeconds: number;
}

/** How the run ended: the last line of a trace, except for tolerances. */
export interface TraceFooter {
  /** Why it ended. */
  readonly outcome: RunOutcome;
  /** Steps in the trace. */
  readonly stepCount: number;
  /** Frames that were delivered. */
  readonly frameCount: number;
  /** Events in the trace. */
  readonly eventCount: number;
  /** Resets in the trace. */
  readonly resetCount: number;
  /** Whether this is a copy that was made while the run went on, such as the trace of a live recording; `outcome` is `closed` then. */
  readonly stillRunning?: boolean;
}

/** How far two runs of the same trace were apart, measured pixel by pixel. */
export interface TraceTolerance {
  /** Runs that were compared with the first. */
  readonly comparedRuns: number;
  /** Steps of each run. */
  readonly stepCount: number;
  /** Frames of each run. */
  readonly frameCount: number;
  /** Greatest difference of a colour value, 0 to 255. */
  readonly maxDifference: number;
  /** Mean difference of the colour values, 0 to 255. */
  readonly meanDifference: number;
  /** Least peak signal-to-noise ratio of a frame in decibels; absent when no frame differed. */
  readonly minPsnrDecibels?: number;
  /** Where it was measured; the same fields as in the header. */
  readonly environment: { readonly [key: string]: Json };
}

/** Bounds of what a reader accepts and a writer makes. */
export interface TraceLimits {
  /** Greatest length of a line in bytes. */
  readonly lineBytes: number;
  /** Greatest number of steps. */
  readonly steps: number;
  /** Greatest number of events in one step. */
  readonly eventsPerStep: number;
}

/** The bounds unless others are given: lines of 8 MiB, 4,000,000 steps, 100,000 events in one step. */
export const DEFAULT_TRACE_LIMITS: TraceLimits = Object.freeze({
  lineBytes: 8 * 1024 * 1024,
  steps: 4_000_000,
  eventsPerStep: 100_000,
});

/** Arrays of up to this many bytes stand in the line itself, unless the encoder is told otherwise: 64 KiB. */
export const DEFAULT_INLINE_BYTES = 64 * 1024;

/** Bytes of arrays that stand in one line together, at most: 1 MiB. */
export const INLINE_BYTES_PER_LINE = 1024 * 1024;
