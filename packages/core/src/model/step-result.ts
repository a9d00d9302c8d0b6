import { timeWindow, type TimeWindow, type TimeWindowInput } from "../foundation/time/time-window.ts";
import { finite, listOf, mapping, optional, refuse, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { made, recordFactory } from "../foundation/validate/record.ts";
import {
  runtimeMetricSample,
  type RuntimeMetricSample,
  type RuntimeMetricSampleInput,
} from "../foundation/metrics/runtime-metric-sample.ts";
import { videoChunk, type VideoChunk, type VideoChunkInput } from "./video-chunk.ts";

/** What one step gave. */
export interface StepResult {
  /** Index of the step since the start or the last reset, at least 0. */
  readonly stepIndex: number;
  /** The frames; absent when a step gives none. */
  readonly output?: VideoChunk;
  /** Frames of `output`; derived when absent, validated when both are given. */
  readonly frameCount: number;
  /** The window of input that was used; set by the driver. */
  readonly outputWindow?: TimeWindow;
  /** Number of the newest client message whose state the step saw; set by the driver. */
  readonly inputSequence?: number;
  /** How many resets came before; set by the driver, default 0. */
  readonly generation: number;
  /** Further facts from the model. */
  readonly metadata: Mapping;
  /** Measurements of this step. */
  readonly metrics: readonly RuntimeMetricSample[];
}

/** What the factory of `StepResult` takes. */
export interface StepResultInput {
  /** Index of the step. */
  readonly stepIndex: number;
  /** The frames. */
  readonly output?: VideoChunkInput;
  /** Frames of `output`. */
  readonly frameCount?: number;
  /** The window of input that was used. */
  readonly outputWindow?: TimeWindowInput;
  /** Number of the newest client message. */
  readonly inputSequence?: number;
  /** How many resets came before. */
  readonly generation?: number;
  /** Further facts. */
  readonly metadata?: Mapping;
  /** Measurements. */
  readonly metrics?: readonly RuntimeMetricSampleInput[];
}

const index = finite({ integer: true, min: 0 });
const makeResult = recordFactory<StepResult>(
  "StepResult",
  {
    stepIndex: index,
    output: optional(made((value) => videoChunk(value as VideoChunkInput))),
    frameCount: withDefault(index, -1),
    outputWindow: optional(made((value) => timeWindow(value as TimeWindowInput))),
    inputSequence: optional(index),
    generation: withDefault(index, 0),
    metadata: withDefault(mapping, Object.freeze({})),
    metrics: withDefault(
      listOf(made((value) => runtimeMetricSample(value as RuntimeMetricSampleInput))),
      Object.freeze([]),
    ),
  },
  (result) => {
    const frames = result.output?.frameCount ?? 0;
    if (result.frameCount === -1) {
      (result as { frameCount: number }).frameCount = frames;
    } else if (result.output !== undefined && result.frameCount !== frames) {
      refuse("StepResult.frameCount", `${frames}, the frames of its output, or nothing`, result.frameCount);
    }
  },
);

/** Makes a `StepResult`; refuses negative indexes and counts, and a count that differs from the output's. */
export function stepResult(input: StepResultInput): StepResult {
  return makeResult(input);
}
