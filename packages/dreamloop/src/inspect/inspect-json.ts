import {
  isPlainObject,
  STATISTICS_SCHEMA_VERSION,
  type ChromeTraceFile,
  type Distribution,
  type RunStatisticsReport,
} from "@dreamloop/core/internal";
import { BENCHMARK_FORMAT_VERSION } from "@dreamloop/outputs";
import { countOf, formatDuration, formatRate } from "../terminal/format.ts";
import { line, type Inspection } from "./inspection.ts";

/** Recognises the JSON files that Dreamloop writes: statistics, profiles, manifests of benchmarks; `undefined` for others. */
export function inspectJson(content: unknown): Inspection | undefined {
  if (!isPlainObject(content)) return undefined;
  if (content.artifactType === "dreamloop.run_statistics" && content.schemaVersion === STATISTICS_SCHEMA_VERSION) {
    return statistics(content as unknown as RunStatisticsReport);
  }
  if (content.format === "dreamloop-benchmark" && content.version === BENCHMARK_FORMAT_VERSION)
    return benchmark(content);
  if (Array.isArray(content.traceEvents)) return profile(content as unknown as ChromeTraceFile);
  return undefined;
}

function statistics(report: RunStatisticsReport): Inspection {
  const { samples, metrics: _, ...facts } = report;
  const { phases, end } = report;
  return {
    kind: "statistics",
    facts: { ...facts, sampleCount: samples.length },
    lines: [
      ...line("world", `${report.worldId}, ${report.width}×${report.height}`),
      ...line("run", `${end.outcome}, ${countOf(end.stepCount, "step")}, ${countOf(end.frameCount, "frame")}`),
      ...line("machine", machineOf(report.environment)),
      ...line("load", formatDuration(phases.loadSeconds + phases.sessionStartSeconds)),
      ...line("first step", phases.firstStepSeconds === undefined ? undefined : milliseconds(phases.firstStepSeconds)),
      ...line("steady", `${countOf(phases.steady.stepCount, "step")}, ${phases.steady.rule}`),
      ...line("generated", rateOf(report.generatedFramesPerSecond)),
      ...line("turn", spread(report.turnSeconds)),
      ...line("model", spread(report.modelSeconds)),
      ...line("overhead", spread(report.overheadSeconds)),
      ...Object.entries(report.stages).flatMap(([stage, values]) => line(`  ${stage}`, spread(values))),
      ...line("configuration", report.configHash),
    ],
  };
}

function benchmark(manifest: Record<string, unknown>): Inspection {
  const { receivedFramesPerSecond, frameCount, durationSeconds } = manifest;
  return {
    kind: "benchmark",
    facts: manifest,
    lines: [
      ...line("frames", String(frameCount)),
      ...line("duration", typeof durationSeconds === "number" ? formatDuration(durationSeconds) : undefined),
      ...line("received", typeof receivedFramesPerSecond === "number" ? rateOf(receivedFramesPerSecond) : undefined),
    ],
  };
}

/** Total time and count of each kind of span. */
function profile(file: ChromeTraceFile): Inspection {
  const totals = new Map<string, { count: number; seconds: number }>();
  for (const { name, dur } of file.traceEvents) {
    const total = totals.get(name) ?? { count: 0, seconds: 0 };
    totals.set(name, { count: total.count + 1, seconds: total.seconds + dur / 1e6 });
  }
  const spans = [...totals]
    .map(([name, total]) => ({ name, ...total }))
    .sort((one, other) => other.seconds - one.seconds);
  return {
    kind: "profile",
    facts: { spanCount: file.traceEvents.length, spans },
    lines: [
      ...line("spans", String(file.traceEvents.length)),
      ...spans.flatMap(({ name, count, seconds }) =>
        line(name, `${formatDuration(seconds)} in ${countOf(count, "span")}`),
      ),
      ...line("view", "ui.perfetto.dev or chrome://tracing"),
    ],
  };
}

function machineOf(environment: Readonly<Record<string, unknown>>): string {
  const { cpuModel, cpuCores, nodeVersion } = environment;
  const cores = typeof cpuCores === "number" ? countOf(cpuCores, "core") : undefined;
  return [cpuModel, cores, typeof nodeVersion === "string" ? `Node ${nodeVersion}` : undefined]
    .filter(Boolean)
    .join(", ");
}

function rateOf(perSecond: number | undefined): string | undefined {
  return perSecond === undefined ? undefined : `${formatRate(perSecond)} frames/s`;
}

function spread(values: Distribution | undefined): string | undefined {
  if (values === undefined) return undefined;
  const { p50, p95, p99 } = values;
  return `p50 ${milliseconds(p50)}, p95 ${milliseconds(p95)}, p99 ${milliseconds(p99)}`;
}

function milliseconds(seconds: number): string {
  return `${Number((seconds * 1000).toPrecision(3))} ms`;
}
