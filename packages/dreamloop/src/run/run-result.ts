import type { OutputArtifact, SessionDescription } from "@dreamloop/core";
import type { ResolvedWorld } from "@dreamloop/node";
import type { RunSettings } from "../settings/run-settings.ts";
import { countOf, formatBytes, formatDuration, formatRate, shellQuoted } from "../terminal/format.ts";
import type { ExecutedRun } from "./execute-run.ts";

/** What a run was, and where its results are: what `--json` prints. */
export interface RunResult extends Omit<ExecutedRun, "description"> {
  /** What this document is. */
  readonly type: "run";
  /** Version of this layout. */
  readonly version: 1;
  /** The world, as it was asked for. */
  readonly world: string;
  /** The world's own id. */
  readonly worldId: string;
  /** Seed of every random draw. */
  readonly seed: number;
  /** Pixels a row. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** The world's own rate. */
  readonly framesPerSecond: number;
  /** Frames a second of wall time, as generated. */
  readonly generatedFramesPerSecond?: number;
  /** Where the trace is. */
  readonly trace?: string;
  /** Where the statistics are. */
  readonly stats?: string;
  /** Where the profile is. */
  readonly profile?: string;
  /** Where the moments are that were saved on the way. */
  readonly moments?: readonly string[];
  /** The configuration in force, in the form of a configuration file. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** Puts the document together. */
export function runResult(
  executed: ExecutedRun,
  settings: RunSettings,
  config: Readonly<Record<string, unknown>>,
  moments: readonly string[] = [],
): RunResult {
  const { description, ...facts } = executed;
  const { width, height, framesPerSecond } = description;
  const { record: trace, stats, profile } = settings;
  return {
    type: "run",
    version: 1,
    world: settings.world ?? description.worldId,
    worldId: description.worldId,
    seed: settings.seed,
    width,
    height,
    framesPerSecond,
    ...facts,
    ...(facts.wallSeconds > 0 ? { generatedFramesPerSecond: facts.frameCount / facts.wallSeconds } : {}),
    ...(trace === undefined ? {} : { trace }),
    ...(stats === undefined ? {} : { stats }),
    ...(profile === undefined ? {} : { profile }),
    ...(moments.length === 0 ? {} : { moments }),
    config,
  };
}

/** What a run was, in lines for people. `origin` tells whether a replay finds the world by the id in the trace. */
export function describeRun(result: RunResult, origin: ResolvedWorld["origin"]): string {
  const { frameCount, wallSeconds, sessionSeconds, generatedFramesPerSecond, outcome } = result;
  const rate = generatedFramesPerSecond === undefined ? "" : ` (${formatRate(generatedFramesPerSecond)} frames/s)`;
  const ended = outcome === "cancelled" ? ", stopped early" : outcome === "closed" ? ", ended by its input" : "";
  const shown = frameCount / result.framesPerSecond;
  const isFoundById = origin === "bundled" || origin === "package";
  const world = isFoundById ? "" : ` --world ${shellQuoted(result.world)}`;
  const span = result.resetCount === 0 ? shown : sessionSeconds;
  return [
    `${countOf(frameCount, "frame")}, ${formatDuration(span)} of ${result.worldId}, in ${formatDuration(wallSeconds)}${rate}${ended}`,
    ...result.artifacts.filter(({ uri }) => uri !== "-").map(describeArtifact),
    ...(result.trace === undefined
      ? []
      : [`wrote ${result.trace}: the trace; dreamloop replay ${shellQuoted(result.trace)}${world}`]),
    ...(result.stats === undefined
      ? []
      : [`wrote ${result.stats}: statistics; dreamloop inspect ${shellQuoted(result.stats)}`]),
    ...(result.moments ?? []).map((moment) => `wrote ${moment}: a moment; dreamloop run --from ${shellQuoted(moment)}`),
    ...(result.profile === undefined
      ? []
      : [`wrote ${result.profile}: profile, for ui.perfetto.dev or chrome://tracing`]),
  ].join("\n");
}

/** What one target made, in one line. */
export function describeArtifact({ kind, uri, metadata }: OutputArtifact): string {
  const { frameCount, width, height, bytes } = metadata;
  const facts = [
    kind,
    ...(typeof frameCount === "number" ? [countOf(frameCount, "frame")] : []),
    ...(typeof width === "number" && typeof height === "number" ? [`${width}×${height}`] : []),
    ...(typeof bytes === "number" ? [formatBytes(bytes)] : []),
  ];
  return `wrote ${uri}: ${facts.join(", ")}`;
}

/** What a world delivers, in short: `640×360, 30 frames/s`. */
export function videoFacts(description: SessionDescription): string {
  const { width, height, framesPerSecond } = description;
  return `${width}×${height}, ${formatRate(framesPerSecond)} frames/s`;
}
