import type { RunEnd, RunObserver, RunStart, StepRecord } from "../rollout/run-observer.ts";
import { STAGES, type Stage, type StageListener } from "../rollout/stages.ts";
import { summarize, type Distribution } from "./distribution.ts";
import {
  METRIC_CATEGORIES,
  type RuntimeMetricSample,
  type RuntimeMetricSampleInput,
  runtimeMetricSample,
} from "../foundation/metrics/runtime-metric-sample.ts";
import type { MetricsRecorder, TimingOptions } from "../foundation/metrics/metrics-recorder.ts";
import {
  MAX_STATISTICS_SAMPLES,
  STATISTICS_SCHEMA_VERSION,
  type RealtimeStatistics,
  type RunStatisticsFacts,
  type RunStatisticsReport,
  type StepSample,
} from "./statistics-report.ts";

/** Steps that do not count as steady state when the world declares no window: what is compiled and allocated lazily is then done. */
const WARM_UP_STEPS = 2;

interface OpenStep {
  readonly stepNumber: number;
  readonly startSeconds: number;
  endSeconds: number;
  readonly stages: Partial<Record<Stage, number>>;
}

/** Collects what `--stats` writes. Attach it to a run as observer, as stage listener and as metrics recorder. */
export class RunStatistics implements RunObserver, StageListener, MetricsRecorder {
  readonly #samples: Omit<StepSample, "frameCount">[] = [];
  readonly #frames: number[] = [];
  readonly #metrics: RuntimeMetricSample[] = [];
  readonly #controlToFrame: number[] = [];
  readonly #leads: number[] = [];
  #truncated = false;
  #open: OpenStep | undefined;
  #start: RunStart | undefined;
  #end: RunEnd | undefined;

  /** Keeps the header. */
  runStarted(start: RunStart): void {
    this.#start = start;
  }

  /** Keeps the frames and, live, what the step's input cost. */
  stepCommitted(record: StepRecord): void {
    // Live, observers hear of a step after the loop has gone on: frames are kept by the step's number.
    if (record.stepNumber < MAX_STATISTICS_SAMPLES)
      this.#frames[record.stepNumber] = record.discarded ? 0 : record.result.frameCount;
    const { timing } = record;
    if (timing?.firstDueSeconds === undefined || this.#truncated) return;
    this.#leads.push(timing.leadFrames);
    for (const event of record.events) {
      this.#controlToFrame.push(
        record.window.endSeconds - event.timestampSeconds + timing.firstDueSeconds - timing.readSeconds,
      );
    }
  }

  /** Keeps how the run ended. */
  runEnded(end: RunEnd): void {
    this.#flush();
    this.#end = end;
  }

  /** Adds a stage to its step. */
  stage(stage: Stage, stepNumber: number, startSeconds: number, endSeconds: number): void {
    if (this.#open?.stepNumber !== stepNumber) {
      this.#flush();
      if (stage === STAGES.pace) return;
      this.#open = { stepNumber, startSeconds, endSeconds, stages: {} };
    }
    const open = this.#open;
    open.stages[stage] = (open.stages[stage] ?? 0) + (endSeconds - startSeconds);
    open.endSeconds = Math.max(open.endSeconds, endSeconds);
  }

  /** Keeps a measurement. */
  record(sample: RuntimeMetricSampleInput): void {
    if (this.#metrics.length < MAX_STATISTICS_SAMPLES) this.#metrics.push(runtimeMetricSample(sample));
  }

  /** Keeps a duration. */
  recordTiming(name: string, durationSeconds: number, options: TimingOptions = {}): void {
    this.record({ name, value: durationSeconds, category: METRIC_CATEGORIES.timing, ...options });
  }

  /** Nothing to free. */
  close(): void {}

  /** The report, once the run has ended; `undefined` when it never started. */
  report(facts: RunStatisticsFacts): RunStatisticsReport | undefined {
    const start = this.#start;
    if (start === undefined) return undefined;
    this.#flush();
    const samples = this.#samples.map((sample) => ({ ...sample, frameCount: this.#frames[sample.stepNumber] ?? 0 }));
    const steadyFirst = steadyStart(start);
    const steady = samples.slice(steadyFirst.step);
    const seconds = elapsed(steady);
    const frameCount = steady.reduce((sum, sample) => sum + sample.frameCount, 0);
    const filling = samples.slice(1, steadyFirst.step);
    const modelOf = (sample: StepSample): number => (sample.stages.model ?? 0) + (sample.stages.finalize ?? 0);
    const first = samples[0];
    return {
      schemaVersion: STATISTICS_SCHEMA_VERSION,
      artifactType: "dreamloop.run_statistics",
      worldId: start.description.worldId,
      width: start.description.width,
      height: start.description.height,
      session: start.description,
      config: start.config,
      configHash: facts.configHash,
      seed: start.seed,
      environment: facts.environment,
      runtimeFacts: start.runtimeFacts,
      end: this.#end ?? { outcome: "failed", stepCount: samples.length, frameCount },
      phases: {
        loadSeconds: this.#lifecycle("runtime_load"),
        sessionStartSeconds: this.#lifecycle("session_start"),
        ...(first === undefined ? {} : { firstStepSeconds: first.turnSeconds }),
        windowFilling: {
          stepCount: filling.length,
          seconds: filling.reduce((sum, sample) => sum + sample.turnSeconds, 0),
        },
        steady: { firstStep: steadyFirst.step, stepCount: steady.length, frameCount, seconds, rule: steadyFirst.rule },
      },
      ...(seconds > 0 && frameCount > 0 ? { generatedFramesPerSecond: frameCount / seconds } : {}),
      ...named("modelSeconds", summarize(steady.map(modelOf))),
      ...named("turnSeconds", summarize(steady.map((sample) => sample.turnSeconds))),
      ...named("overheadSeconds", summarize(steady.map((sample) => sample.turnSeconds - modelOf(sample)))),
      stages: stageDistributions(steady),
      ...(facts.realtime === undefined ? {} : { realtime: this.#realtime(facts.realtime) }),
      samples,
      samplesTruncated: this.#truncated,
      metrics: [...this.#metrics],
    };
  }

  #realtime({ status, drops }: NonNullable<RunStatisticsFacts["realtime"]>): RealtimeStatistics {
    return {
      deadlineMissRate: status.stepCount === 0 ? 0 : status.underrunCount / status.stepCount,
      underrunCount: status.underrunCount,
      stallSeconds: status.stallSeconds,
      ...named("controlToFrameSeconds", summarize(this.#controlToFrame)),
      ...named("leadFrames", summarize(this.#leads)),
      drops: { reset: status.discardedFrames, ...drops },
    };
  }

  #lifecycle(name: string): number {
    return (
      this.#metrics.find((sample) => sample.name === name && sample.category === METRIC_CATEGORIES.lifecycle)?.value ??
      0
    );
  }

  #flush(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if (this.#samples.length >= MAX_STATISTICS_SAMPLES) {
      this.#truncated = true;
      return;
    }
    const { stepNumber, startSeconds, endSeconds, stages } = open;
    this.#samples.push({ stepNumber, startSeconds, turnSeconds: endSeconds - startSeconds, stages });
  }
}

/** Steady state begins when the window is full where the world declares one (`runtimeFacts.windowSteps`), else after two steps. */
function steadyStart(start: RunStart): { readonly step: number; readonly rule: string } {
  const declared = start.runtimeFacts.windowSteps;
  if (typeof declared === "number" && Number.isSafeInteger(declared) && declared >= WARM_UP_STEPS) {
    return { step: declared, rule: `the window of ${declared} steps is full` };
  }
  return { step: WARM_UP_STEPS, rule: `after ${WARM_UP_STEPS} steps` };
}

/** From the start of the first sample to the end of the last. */
function elapsed(samples: readonly StepSample[]): number {
  const first = samples[0];
  const last = samples.at(-1);
  return first === undefined || last === undefined ? 0 : last.startSeconds + last.turnSeconds - first.startSeconds;
}

function stageDistributions(samples: readonly StepSample[]): RunStatisticsReport["stages"] {
  const distributions: Partial<Record<Stage, Distribution>> = {};
  for (const stage of Object.values(STAGES)) {
    const values = samples.flatMap((sample) => (sample.stages[stage] === undefined ? [] : [sample.stages[stage]]));
    const distribution = summarize(values);
    if (distribution !== undefined) distributions[stage] = distribution;
  }
  return distributions;
}

function named<Name extends string, Value>(name: Name, value: Value | undefined): Partial<Record<Name, Value>> {
  return value === undefined ? {} : ({ [name]: value } as Partial<Record<Name, Value>>);
}
