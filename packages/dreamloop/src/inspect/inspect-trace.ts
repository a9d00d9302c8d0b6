import { modelConfig, type TraceSummary } from "@dreamloop/core";
import { inspectTraceFile } from "@dreamloop/node";
import { countOf, formatDuration } from "../terminal/format.ts";
import { videoFacts } from "../run/run-result.ts";
import { line, type Inspection } from "./inspection.ts";

/** Says what a trace holds; memory does not grow with its length. */
export async function inspectTraceAt(path: string): Promise<Inspection> {
  const summary = await inspectTraceFile(path);
  return { kind: "trace", facts: summary, lines: traceLines(summary) };
}

function traceLines(summary: TraceSummary): Inspection["lines"] {
  const { header, tolerance } = summary;
  const events = Object.entries(summary.eventTypes).map(([type, count]) => `${count} ${type}`);
  return [
    ...line("world", `${header.worldId}, ${videoFacts(header.description)}`),
    ...line("recorded", [header.recordedAt, `dreamloop ${header.dreamloopVersion}`].filter(Boolean).join(", ")),
    ...line(
      "length",
      `${countOf(summary.stepCount, "step")}, ${countOf(summary.generatedFrames, "frame")}, ${formatDuration(summary.sessionSeconds)}`,
    ),
    ...line("ended", endText(summary)),
    ...line("seed", String(header.seed)),
    ...line("model", modelText(header.config.model)),
    ...line("options", optionsText(header.config.runtimeOptions)),
    ...line("events", events.length === 0 ? "none" : events.join(", ")),
    ...line(
      "changes",
      summary.changes.map(({ kind, stepNumber, detail }) => `${kind} at step ${stepNumber} (${detail})`).join(", "),
    ),
    ...line("hashes", `${countOf(summary.hashedFrames, "frame")}, ${header.frameHash}`),
    ...line("model inputs", header.modelInputsRecorded ? "recorded" : "hashes only"),
    ...line(
      "exact",
      header.exactness.promised
        ? "yes, on the same machine and versions"
        : `no: ${header.exactness.reason ?? "not promised"}`,
    ),
    ...line(
      "tolerance",
      tolerance === undefined
        ? undefined
        : `at most ${tolerance.maxDifference} of 255, mean ${tolerance.meanDifference}`,
    ),
    ...line("machine", typeof header.environment.cpuModel === "string" ? header.environment.cpuModel : undefined),
  ];
}

function endText({ complete, stillRunning, outcome, stepCount }: TraceSummary): string | undefined {
  if (!complete) return `cut off after step ${stepCount - 1}`;
  return stillRunning === true ? `a copy up to step ${stepCount - 1}; the session went on` : outcome;
}

/** What differs from the defaults. */
function modelText(model: TraceSummary["header"]["config"]["model"]): string | undefined {
  if (Array.isArray(model)) return JSON.stringify(model);
  const defaults: object = modelConfig();
  const chosen = Object.entries(model).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name as keyof typeof defaults]),
  );
  return optionsText(Object.fromEntries(chosen));
}

function optionsText(options: Readonly<Record<string, unknown>>): string | undefined {
  return Object.keys(options).length === 0 ? undefined : JSON.stringify(options);
}
