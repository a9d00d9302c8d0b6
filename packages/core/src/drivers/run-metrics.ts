import type { MetricsRecorder } from "../foundation/metrics/metrics-recorder.ts";
import { METRIC_CATEGORIES, type RuntimeMetricSampleInput } from "../foundation/metrics/runtime-metric-sample.ts";
import type { StepResult } from "../model/step-result.ts";

/** A duration that occurs once a run, in seconds. */
export function lifecycle(name: string, value: number): RuntimeMetricSampleInput {
  return { name, value, category: METRIC_CATEGORIES.lifecycle };
}

/** Records what the model measured in a step. */
export function recordStepMetrics(metrics: MetricsRecorder | undefined, result: StepResult): void {
  if (metrics === undefined) return;
  const { stepIndex } = result;
  for (const sample of result.metrics)
    metrics.record(sample.stepIndex === undefined ? { ...sample, stepIndex } : sample);
}
