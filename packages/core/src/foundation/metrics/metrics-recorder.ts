import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";
import { refuseUnknownKeys } from "../validate/record.ts";
import {
  METRIC_CATEGORIES,
  runtimeMetricSample,
  type RuntimeMetricSample,
  type RuntimeMetricSampleInput,
} from "./runtime-metric-sample.ts";

/** Facts that `recordTiming` may add to a duration. */
export interface TimingOptions {
  /** The step it belongs to. */
  readonly stepIndex?: number;
  /** Further facts. */
  readonly metadata?: RuntimeMetricSample["metadata"];
}

/** Where measurements go. */
export interface MetricsRecorder {
  /** Records one sample; refuses after `close`. */
  record(sample: RuntimeMetricSampleInput): void;
  /** Records a duration in seconds as category `timing`. */
  recordTiming(name: string, durationSeconds: number, options?: TimingOptions): void;
  /** Ends recording; repeatable. */
  close(): void | Promise<void>;
}

/** A recorder that keeps its samples in memory; it refuses samples after it was closed. */
export class InMemoryMetricsRecorder implements MetricsRecorder {
  readonly #samples: RuntimeMetricSample[] = [];
  #closed = false;

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#closed;
  }

  /** The samples so far, a copy. */
  get samples(): readonly RuntimeMetricSample[] {
    return [...this.#samples];
  }

  /** Records one sample; throws `closed` after `close`. */
  record(sample: RuntimeMetricSampleInput): void {
    if (this.#closed)
      throw new DreamloopError(
        ERROR_CODES.closed,
        "MetricsRecorder.record: the recorder is closed; make a new one for a new run",
      );
    this.#samples.push(runtimeMetricSample(sample));
  }

  /** Records a duration in seconds as category `timing`. */
  recordTiming(name: string, durationSeconds: number, options: TimingOptions = {}): void {
    refuseUnknownKeys(options, ["stepIndex", "metadata"], "TimingOptions");
    this.record({ ...options, name, value: durationSeconds, category: METRIC_CATEGORIES.timing });
  }

  /** Ends recording; repeatable. The samples stay readable. */
  close(): void {
    this.#closed = true;
  }
}

/** A recorder that keeps nothing. */
export const nullMetricsRecorder: MetricsRecorder = Object.freeze({
  record: () => undefined,
  recordTiming: () => undefined,
  close: () => undefined,
});
