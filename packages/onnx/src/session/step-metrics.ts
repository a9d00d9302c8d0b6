import type { RuntimeMetricSampleInput } from "@dreamloop/core";
import type { GraphTimes } from "./item-runner.ts";
import type { PromptReports } from "./rollout-state.ts";

/** How long each graph took: `graph.NAME` in seconds, all its calls of a step together. */
export function timingMetrics(times: GraphTimes, stepIndex: number): readonly RuntimeMetricSampleInput[] {
  return [...times].map(([name, value]) => ({ name: `graph.${name}`, value, stepIndex, category: "timing" }));
}

/** How many words of a prompt did not arrive. */
export function promptMetrics(reports: PromptReports, stepIndex: number): readonly RuntimeMetricSampleInput[] {
  return Object.entries(reports).map(([name, report]) => ({
    name: "prompt.unknown_words",
    value: report.unknownWords.length + report.cutWords.length,
    unit: "words",
    stepIndex,
    category: "quality",
    metadata: { input: name, unknownWords: report.unknownWords, cutWords: report.cutWords, applied: report.applied },
  }));
}
