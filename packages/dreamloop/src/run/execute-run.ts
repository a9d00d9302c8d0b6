import { createHash } from "node:crypto";
import {
  ERROR_CODES,
  type FiniteInputSource,
  type InferenceConfig,
  isDreamloopError,
  type Mapping,
  type OutputArtifact,
  type OutputTarget,
  runBatch,
  type RunFrom,
  type RunObserver,
  type StageListener,
} from "@dreamloop/core";
import { ChromeTrace, RunStatistics, type RunStatisticsFacts, waitLimitsOf } from "@dreamloop/core/internal";
import { environmentFacts } from "@dreamloop/node";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliContext } from "../program/cli-command.ts";
import type { RunSettings } from "../settings/run-settings.ts";
import { ArtifactLog } from "./artifact-log.ts";
import type { MomentWriter } from "./moment-writer.ts";
import type { ResultFile } from "./result-file.ts";
import { expectedFrames, type RunLength } from "./run-length.ts";
import { type RunFacts, RunWatch } from "./run-watch.ts";
import type { TraceRecorder } from "./trace-recorder.ts";
import { WarningLog } from "./warning-log.ts";

/** A run that has been prepared down to its last file. */
export interface PreparedRun {
  /** The world. */
  readonly world: FoundWorld;
  /** The settings in force. */
  readonly settings: RunSettings;
  /** The model's configuration in force. */
  readonly config: InferenceConfig;
  /** The initial inputs, pictures among them. */
  readonly initial: Mapping;
  /** Its input; absent: nobody touches anything. */
  readonly input?: FiniteInputSource;
  /** How long it is. */
  readonly length: RunLength;
  /** Where frames go. */
  readonly output: OutputTarget;
  /** Records the trace. */
  readonly recorder?: TraceRecorder;
  /** The moment that it goes on from; its initial inputs and its seed then count. */
  readonly from?: RunFrom;
  /** Saves moments on the way. */
  readonly moments?: MomentWriter;
  /** Where the statistics go. */
  readonly stats?: ResultFile;
  /** Where the profile goes. */
  readonly profile?: ResultFile;
}

/** What an executed run gave. */
export interface ExecutedRun extends RunFacts {
  /** Files, folders and streams that hold the frames. */
  readonly artifacts: readonly OutputArtifact[];
  /** Occurrences of each kind of warning. */
  readonly warnings: Readonly<Record<string, number>>;
}

/**
 * Runs a world with progress, statistics, profile and trace. However it ends, its files are complete up to there. A stop signal is no
 * error once the session has started: the outcome says `cancelled`.
 */
export async function executeRun(context: CliContext, run: PreparedRun): Promise<ExecutedRun> {
  const { host, terminal } = context;
  context.interruption.task = "completing the files";
  const watch = new RunWatch(host.clock);
  const output = new ArtifactLog(run.output, () => watch.stepsBegin());
  const statistics = run.stats === undefined ? undefined : new RunStatistics();
  const profile = run.profile === undefined ? undefined : new ChromeTrace();
  const warnings = new WarningLog(terminal);
  const files = async (): Promise<void> => {
    await run.recorder?.close();
    if (profile !== undefined) run.profile?.write(profile.toFile());
    const report = statistics?.report(statisticsFacts(run.config));
    if (report !== undefined) run.stats?.write(report);
  };
  try {
    await runBatch(batchOptions(context, run, { watch, output, statistics, profile, warnings }));
  } catch (error) {
    terminal.endProgress();
    // What goes wrong with these files is not the reason why the run failed.
    await files().catch(() => undefined);
    if (!isDreamloopError(error, ERROR_CODES.cancelled) || watch.facts === undefined) throw error;
    return { ...watch.facts, artifacts: output.artifacts, warnings: warnings.close() };
  }
  terminal.endProgress();
  await files();
  return { ...(watch.facts as RunFacts), artifacts: output.artifacts, warnings: warnings.close() };
}

interface Instruments {
  readonly watch: RunWatch;
  readonly output: ArtifactLog;
  readonly statistics: RunStatistics | undefined;
  readonly profile: ChromeTrace | undefined;
  readonly warnings: WarningLog;
}

function batchOptions(context: CliContext, run: PreparedRun, with_: Instruments): Parameters<typeof runBatch>[0] {
  const { host, terminal, interruption } = context;
  const { world, settings, input, length, recorder, from, moments } = run;
  const { watch, output, statistics, profile, warnings } = with_;
  const progress = terminal.startProgress(world.argument, "frames");
  progress?.stage("loading");
  const observers: RunObserver[] = [watch];
  if (statistics !== undefined) observers.push(statistics);
  if (recorder !== undefined) observers.push(recorder.observer);
  if (moments !== undefined) observers.push(moments);
  const listeners: StageListener[] = [];
  if (statistics !== undefined) listeners.push(statistics);
  if (profile !== undefined) listeners.push(profile);
  const stages = stageListeners(listeners);
  return {
    adapter: world.adapter,
    config: { ...settings.inference, modelId: world.adapter.modelId },
    candidateIndex: settings.candidate,
    ...(from === undefined ? { initialInputs: { initial: run.initial }, seed: settings.seed } : { from }),
    ...(moments === undefined ? {} : { history: moments }),
    clock: host.clock,
    waits: waitLimitsOf(settings.inference.resourceHints),
    signal: interruption.signal,
    outputs: [output],
    observers,
    ...(input === undefined ? {} : { source: input }),
    ...length,
    ...(recorder === undefined ? {} : { frameHasher: recorder.hasher }),
    ...(statistics === undefined ? {} : { metrics: statistics }),
    ...(stages === undefined ? {} : { stages }),
    onWarning: (warning) => warnings.take(warning),
    ...(progress === undefined
      ? {}
      : {
          onProgress: ({ stage, fraction }) => {
            progress.stage(fraction === undefined ? stage : `${stage} ${Math.round(fraction * 100)} %`);
          },
          onStep: ({ frameCount }) => {
            const description = watch.start?.description;
            if (description !== undefined) progress.update(frameCount, expectedFrames(length, input, description));
          },
        }),
  };
}

/** Several stage listeners as one; `undefined` without any, so that the loop reads no clock for them. */
function stageListeners(listeners: readonly StageListener[]): StageListener | undefined {
  if (listeners.length < 2) return listeners[0];
  return {
    stage: (stage, stepNumber, startSeconds, endSeconds) => {
      for (const listener of listeners) listener.stage(stage, stepNumber, startSeconds, endSeconds);
    },
  };
}

/** What a statistics file says beside its figures: the machine, and a hash by which equal configurations are recognised. */
function statisticsFacts(config: InferenceConfig): RunStatisticsFacts {
  const configHash = createHash("sha256").update(JSON.stringify(config)).digest("hex");
  return { environment: environmentFacts(), configHash };
}
