import type { InferenceConfig } from "../model/inference-config.ts";
import type { PresentationDrops } from "../drivers/presentation-queue.ts";
import type { RealtimeStatus } from "../drivers/realtime-options.ts";
import type { SessionDescription } from "../model/session-description.ts";
import type { RunEnd } from "../rollout/run-observer.ts";
import type { Stage } from "../rollout/stages.ts";
import type { Json } from "../foundation/validate/reader.ts";
import type { Distribution } from "./distribution.ts";
import type { RuntimeMetricSample } from "../foundation/metrics/runtime-metric-sample.ts";

/** Version of the statistics file; raised when a field changes its meaning. */
export const STATISTICS_SCHEMA_VERSION = 1;

/** Steps whose raw samples are kept; a longer run keeps the first ones and says so. */
export const MAX_STATISTICS_SAMPLES = 100_000;

/** Raw figures of one step, in seconds. */
export interface StepSample {
  /** Number of the step over all generations. */
  readonly stepNumber: number;
  /** Frames that it gave. */
  readonly frameCount: number;
  /** When its turn of the loop began, on the driver's clock. */
  readonly startSeconds: number;
  /** Duration of its turn: the wait for the pace is not in it. */
  readonly turnSeconds: number;
  /** Duration of each stage. */
  readonly stages: Readonly<Partial<Record<Stage, number>>>;
}

/** The phases of a run, each apart. */
export interface RunPhases {
  /** From nothing to a loaded runtime. */
  readonly loadSeconds: number;
  /** From the runtime to a started session. */
  readonly sessionStartSeconds: number;
  /** The first step. */
  readonly firstStepSeconds?: number;
  /** Steps after the first until the window is full. */
  readonly windowFilling: { readonly stepCount: number; readonly seconds: number };
  /** All later steps. */
  readonly steady: SteadyPhase;
}

/** The steady state of a run. */
export interface SteadyPhase {
  /** Number of its first step. */
  readonly firstStep: number;
  /** Steps in it. */
  readonly stepCount: number;
  /** Frames that were delivered in it. */
  readonly frameCount: number;
  /** From the start of its first step to the end of its last. */
  readonly seconds: number;
  /** The rule by which it began, for people. */
  readonly rule: string;
}

/** What a live session adds. */
export interface RealtimeStatistics {
  /** Steps later than their due time, as a share of all steps. */
  readonly deadlineMissRate: number;
  /** Steps later than their due time. */
  readonly underrunCount: number;
  /** Sum of their lateness. */
  readonly stallSeconds: number;
  /** From the arrival of an input event to the due time of the first frame that shows it. */
  readonly controlToFrameSeconds?: Distribution;
  /** Frames generated but not yet due, after each hand-over. */
  readonly leadFrames?: Distribution;
  /** Frames that were not shown, by reason. */
  readonly drops: Readonly<Record<string, number>>;
}

/** Facts that the caller adds: the core knows no machine. */
export interface RunStatisticsFacts {
  /** Hardware and versions. */
  readonly environment: { readonly [key: string]: Json };
  /** Hash of the configuration in force. */
  readonly configHash: string;
  /** Counters of a live session. */
  readonly realtime?: { readonly status: RealtimeStatus; readonly drops?: PresentationDrops };
}

/** The statistics file. */
export interface RunStatisticsReport {
  /** Version of this layout. */
  readonly schemaVersion: typeof STATISTICS_SCHEMA_VERSION;
  /** What this file is. */
  readonly artifactType: "dreamloop.run_statistics";
  /** The world. */
  readonly worldId: string;
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** What the session delivered. */
  readonly session: SessionDescription;
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** Hash of it. */
  readonly configHash: string;
  /** Seed of every random draw. */
  readonly seed: number;
  /** Hardware and versions. */
  readonly environment: { readonly [key: string]: Json };
  /** What the runtime says of itself. */
  readonly runtimeFacts: { readonly [key: string]: Json };
  /** How the run ended. */
  readonly end: RunEnd;
  /** The phases. */
  readonly phases: RunPhases;
  /** Frames a second of wall-clock time in steady state, waiting for the pace included; absent when there was none. */
  readonly generatedFramesPerSecond?: number;
  /** Duration of the model's step in steady state, finalisation included. */
  readonly modelSeconds?: Distribution;
  /** Duration of a turn of the loop in steady state. */
  readonly turnSeconds?: Distribution;
  /** Turn minus model: what Dreamloop itself costs, outputs included. */
  readonly overheadSeconds?: Distribution;
  /** Each stage in steady state. */
  readonly stages: Readonly<Partial<Record<Stage, Distribution>>>;
  /** What a live session adds. */
  readonly realtime?: RealtimeStatistics;
  /** Raw figures of each step. */
  readonly samples: readonly StepSample[];
  /** Whether later samples were left out because of the limit. */
  readonly samplesTruncated: boolean;
  /** Measurements of the model and the run. */
  readonly metrics: readonly RuntimeMetricSample[];
}
