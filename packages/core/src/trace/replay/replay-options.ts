import type { ChunkCompressor } from "../../snapshot/moment-file.ts";
import type { InputCanonicalizer } from "../../canonical/input-canonicalizer.ts";
import type { BatchOptions } from "../../drivers/batch-driver.ts";
import type { RunReport } from "../../drivers/run-options.ts";
import type { InputMapping } from "../../mapping/input-mapping.ts";
import type { ModelAdapter } from "../../adapter/model-adapter.ts";
import type { FrameHasher } from "../../rollout/run-observer.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import type { Trace } from "../read-trace.ts";
import type { PayloadStore } from "../../snapshot/content/payload-store.ts";

/** From where a replay starts. */
export const REPLAY_LEVELS = {
  /** The recorded events go through converters and mapping again. */
  userEvents: "user-events",
  /** The recorded model inputs go to the model; converters and mapping do not run. Needs a trace recorded with them. */
  modelInputs: "model-inputs",
} as const;

/** One of `REPLAY_LEVELS`. */
export type ReplayLevel = (typeof REPLAY_LEVELS)[keyof typeof REPLAY_LEVELS];

/** How a trace is replayed. Seed, configuration, windows, initial inputs and number of frames are those of the trace. */
export interface ReplayOptions extends Pick<
  BatchOptions,
  | "clock"
  | "runtime"
  | "outputs"
  | "metrics"
  | "stages"
  | "checkFrames"
  | "onProgress"
  | "onStep"
  | "onWarning"
  | "waits"
  | "signal"
> {
  /** The trace, as `readTrace` gives it. */
  readonly trace: Trace;
  /** The world, which must be the one that was recorded. */
  readonly adapter: ModelAdapter;
  /** Hashes frames, model inputs and payloads. */
  readonly frameHasher: FrameHasher;
  /** From where it starts; default `user-events`. */
  readonly level?: ReplayLevel;
  /** Where content is kept that does not stand in the trace. */
  readonly payloads?: PayloadStore;
  /** Unpacks the moment that the recorded run went on from, where it went on from one. */
  readonly compressor?: ChunkCompressor;
  /** The mapping that was recorded, when it was not the adapter's own. */
  readonly mapping?: InputMapping | readonly InputMapping[];
  /** The converters that were recorded, when they were not the adapter's own. */
  readonly canonicalizer?: InputCanonicalizer;
  /** Facts of this machine, to say what differs from the one that recorded; the same fields as in the header. */
  readonly environment?: { readonly [key: string]: Json };
  /** Whether to go on although versions of adapter, mapping or converters, or hashes of weights, are others; default false. */
  readonly allowVersionMismatch?: boolean;
  /** What to do at the first difference: `stop` throws `replay_differs`, `continue` finishes the run and reports; default `stop`. */
  readonly onDifference?: "stop" | "continue";
  /** Steps to replay at most; default all. */
  readonly stepLimit?: number;
  /** Watches the run beside the comparison, such as another trace encoder. */
  readonly observers?: BatchOptions["observers"];
}

/** Where a replay first went apart from its trace. */
export interface ReplayDifference {
  /** What differs first: the inputs of the model, its frames, or the run's order (a reset, the number of steps). */
  readonly what: "model_inputs" | "frames" | "order";
  /** The step over all generations. */
  readonly stepNumber: number;
  /** Resets before it. */
  readonly generation: number;
  /** The step since the start or the last reset. */
  readonly stepIndex: number;
  /** The frame within the step; absent where no frame differs. */
  readonly frameIndex?: number;
  /** The value in the trace: a hash or a count. */
  readonly expected: string;
  /** The value of this run. */
  readonly found: string;
  /** Whether the model inputs of the step differ; absent: the trace does not have their hash. */
  readonly modelInputsDiffer?: boolean;
}

/** What a replay gave. */
export interface ReplayReport {
  /** Whether every frame was compared and the same, and every model input that the trace has. */
  readonly equal: boolean;
  /** Steps that were replayed. */
  readonly stepCount: number;
  /** Frames whose hashes were compared. */
  readonly comparedFrames: number;
  /** Steps that differ, when `onDifference` is `continue`. */
  readonly differingSteps: number;
  /** Steps with frames that could not be compared, since the trace has no hashes of them; a replay with any is not equal. */
  readonly uncomparedSteps: number;
  /** The first step that differs. */
  readonly firstDifference?: ReplayDifference;
  /** Facts of machine, engine and versions that are not as recorded, such as `environment.cpuModel: "A" → "B"`. */
  readonly environmentDifferences: readonly string[];
  /** The report of the run: artifacts, counts, warnings. */
  readonly run: RunReport;
}
