import {
  DreamloopError,
  ERROR_CODES,
  isDreamloopError,
  measureTolerance,
  REPLAY_LEVELS,
  replayTrace,
  toleranceText,
  type OutputArtifact,
  type ReplayDifference,
  type ReplayLevel,
  type ReplayReport,
  type Trace,
} from "@dreamloop/core";
import { oneOf } from "@dreamloop/core/internal";
import {
  appendToTrace,
  environmentFacts,
  PayloadFolder,
  payloadFolderOf,
  readTraceFile,
  sha256FrameHasher,
  zlibCompressor,
} from "@dreamloop/node";
import { resolve } from "node:path";
import { findWorld, type WorldSearch } from "../lookup/find-world.ts";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliCommand, CliContext } from "../program/cli-command.ts";
import { settling } from "../program/exit-code-of.ts";
import { EXIT_CODES, type ExitCode } from "../program/exit-codes.ts";
import { ArtifactLog } from "../run/artifact-log.ts";
import { confirmReplacing } from "../run/confirm-replacing.ts";
import { planOutput } from "../run/plan-output.ts";
import { describeArtifact } from "../run/run-result.ts";
import { WarningLog } from "../run/warning-log.ts";
import { countOf } from "../terminal/format.ts";
import { addForceOption, addSpeechOptions, repeated } from "./options.ts";

const HELP = `
Ends with 0 when every frame is the same, with ${EXIT_CODES.replayDiffers} naming the first step that differs, with ${EXIT_CODES.replayRefused} when the
replay cannot be exact: another world, other weights, another version.

Examples:
  $ dreamloop replay a.trace
  $ dreamloop replay a.trace --out again.mp4
  $ dreamloop replay a.trace --measure
  $ dreamloop replay a.trace --level model-inputs
  $ dreamloop replay mine.trace --world ./my-world.js --json
`;

/** What a replay was: what `--json` prints. */
export interface ReplayResult {
  /** What this document is. */
  readonly type: "replay";
  /** Version of this layout. */
  readonly version: 1;
  /** The trace, as it was named. */
  readonly trace: string;
  /** The world. */
  readonly world: string;
  /** From where it was replayed. */
  readonly level: ReplayLevel;
  /** Whether the frames are the same; `cancelled` when a stop signal ended the replay, `unknown` when the trace lacks hashes of frames. */
  readonly outcome: "equal" | "differs" | "cancelled" | "unknown";
  /** Whether the trace is complete; one that was cut off is replayed up to its last whole step. */
  readonly complete: boolean;
  /** Steps in the trace. */
  readonly recordedSteps: number;
  /** Steps that were replayed; absent when the first difference ended the replay. */
  readonly stepCount?: number;
  /** Frames that were compared; absent when the first difference ended the replay. */
  readonly comparedFrames?: number;
  /** Steps that differ, with `--keep-going`. */
  readonly differingSteps?: number;
  /** The first difference. */
  readonly firstDifference?: ReplayDifference;
  /** Facts of machine and versions that are not as recorded. */
  readonly environmentDifferences: readonly string[];
  /** Files, folders and streams that hold the frames. */
  readonly artifacts: readonly OutputArtifact[];
}

/** `dreamloop replay`: runs a trace again and compares every frame. */
export const replayCommand: CliCommand = {
  describe: (command) => {
    command
      .argument("<file>", "the trace")
      .option("--out <target>", "where frames go; repeatable; default nowhere", repeated)
      .option("--level <level>", "from where: user-events (through the mapping) or model-inputs; default user-events")
      .option("--world <world>", "the world, when the trace's own id does not lead to it")
      .option("--python <path>", "interpreter of a world in Python")
      .option("--measure", "first run it three times and add to the trace how far frames of this machine are apart")
      .option("--keep-going", "run to the end and count all steps that differ")
      .option("--allow-mismatch", "try although versions or weights are not as recorded");
    addForceOption(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [file = ""], options) => {
    const { host, terminal } = context;
    const level = settling(() => oneOf(REPLAY_LEVELS)(options.level ?? REPLAY_LEVELS.userEvents, "--level"));
    const path = resolve(host.cwd, file);
    let trace = await readTraceFile(path);
    if (!trace.complete) {
      terminal.note(
        `${file} was cut off; replaying up to its last whole step (${countOf(trace.steps.length, "step")})`,
      );
    }
    const { python } = options as { readonly python?: string };
    const search = { cwd: host.cwd, env: host.env, ...(python === undefined ? {} : { python }) };
    const world = await traceWorld(trace, options.world as string | undefined, search);
    if (options.measure === true) {
      await measure(context, { trace, path, file, world });
      trace = await readTraceFile(path);
    }
    const out = (options.out ?? []) as readonly string[];
    context.interruption.world = world.argument;
    const uses = out.map((spec) => ["--out", spec] as const);
    const output = new ArtifactLog(planOutput(context, { out, files: [["FILE", file]] }));
    await confirmReplacing(context, { uses, force: options.force === true });
    const known = {
      type: "replay",
      version: 1,
      trace: file,
      world: world.argument,
      level,
      complete: trace.complete,
      recordedSteps: trace.steps.length,
    } as const;
    try {
      const report = await replay(context, { trace, path, world, output, level, options });
      const result = { ...known, ...resultOf(report), artifacts: output.artifacts };
      return tell(context, result);
    } catch (error) {
      terminal.endProgress();
      if (!terminal.mode.json || !isDreamloopError(error, ERROR_CODES.replayDiffers)) throw error;
      terminal.error(error, EXIT_CODES.replayDiffers, { document: false });
      const { environmentDifferences = [], ...difference } = error.details as unknown as ReplayDifference & {
        readonly environmentDifferences?: readonly string[];
      };
      const result: ReplayResult = {
        ...known,
        outcome: "differs",
        firstDifference: difference,
        environmentDifferences,
        artifacts: output.artifacts,
      };
      terminal.document(result);
      return EXIT_CODES.replayDiffers;
    }
  },
};

/** The world of a trace: the one that was named, else the one whose id it carries. */
async function traceWorld(trace: Trace, named: string | undefined, search: WorldSearch): Promise<FoundWorld> {
  const { modelId } = trace.header.config;
  try {
    return await findWorld(named ?? modelId, search);
  } catch (error) {
    if (named !== undefined || !isDreamloopError(error, ERROR_CODES.notFound)) throw error;
    throw new DreamloopError(
      ERROR_CODES.notFound,
      `the trace is of the world ${JSON.stringify(modelId)}, which is neither bundled nor installed; name it with --world PATH`,
      { cause: error },
    );
  }
}

/** Measures how far runs of the trace are apart on this machine, says it, and adds it to the trace. */
async function measure(
  { host, terminal, interruption }: CliContext,
  { trace, path, file, world }: Pick<Replay, "trace" | "path" | "world"> & { readonly file: string },
): Promise<void> {
  terminal.startProgress(`measure ${world.argument}`, "steps")?.stage("three runs");
  const tolerance = await measureTolerance({
    trace,
    adapter: world.adapter,
    frameHasher: sha256FrameHasher,
    clock: host.clock,
    payloads: new PayloadFolder(payloadFolderOf(path)),
    environment: environmentFacts(),
    signal: interruption.signal,
  }).finally(() => terminal.endProgress());
  await appendToTrace(path, toleranceText(tolerance));
  const { maxDifference, meanDifference, comparedRuns, frameCount } = tolerance;
  terminal.note(
    `frames of ${comparedRuns + 1} runs on this machine are at most ${maxDifference} of 255 apart, ${meanDifference.toPrecision(2)} on average (${countOf(frameCount, "frame")} of each); added to ${file}`,
  );
}

interface Replay {
  readonly trace: Trace;
  readonly path: string;
  readonly world: FoundWorld;
  readonly output: ArtifactLog;
  readonly level: ReplayLevel;
  readonly options: Readonly<Record<string, unknown>>;
}

async function replay(context: CliContext, run: Replay): Promise<ReplayReport> {
  const { host, terminal, interruption } = context;
  const { trace, path, world, output, level, options } = run;
  const warnings = new WarningLog(terminal);
  const progress = terminal.startProgress(`replay ${world.argument}`, "steps");
  progress?.stage("loading");
  const report = await replayTrace({
    trace,
    adapter: world.adapter,
    frameHasher: sha256FrameHasher,
    clock: host.clock,
    level,
    payloads: new PayloadFolder(payloadFolderOf(path)),
    compressor: zlibCompressor,
    environment: environmentFacts(),
    allowVersionMismatch: options.allowMismatch === true,
    onDifference: options.keepGoing === true ? "continue" : "stop",
    outputs: [output],
    signal: interruption.signal,
    onStep: ({ stepCount }) => progress?.update(stepCount, trace.steps.length),
    onWarning: (warning) => warnings.take(warning),
  });
  terminal.endProgress();
  warnings.close();
  return report;
}

type Outcome = Pick<
  ReplayResult,
  "outcome" | "stepCount" | "comparedFrames" | "differingSteps" | "firstDifference" | "environmentDifferences"
>;

function resultOf(report: ReplayReport): Outcome {
  const { equal, stepCount, comparedFrames, differingSteps, firstDifference, environmentDifferences } = report;
  const cancelled = report.run.outcome === "cancelled";
  return {
    outcome: differingSteps > 0 ? "differs" : cancelled ? "cancelled" : equal ? "equal" : "unknown",
    stepCount,
    comparedFrames,
    differingSteps,
    ...(firstDifference === undefined ? {} : { firstDifference }),
    environmentDifferences,
  };
}

function tell({ terminal }: CliContext, result: ReplayResult): ExitCode {
  const { outcome, stepCount = 0, comparedFrames = 0, differingSteps = 0, firstDifference } = result;
  if (terminal.mode.json) terminal.document(result);
  else {
    for (const difference of result.environmentDifferences) terminal.note(`not as recorded: ${difference}`);
    const extent = `${countOf(stepCount, "step")}, ${countOf(comparedFrames, "frame")} compared`;
    const { stepNumber, what } = firstDifference ?? {};
    const words = {
      equal: `equal: ${extent}`,
      unknown: `not known to be equal, as the trace lacks hashes of frames: ${extent}`,
      cancelled: `stopped early; equal up to there: ${extent}`,
      differs: `differs: ${countOf(differingSteps, "step")} of ${stepCount}, the first is step ${stepNumber} (${what?.replaceAll("_", " ")})`,
    };
    terminal.result(
      [words[outcome], ...result.artifacts.filter(({ uri }) => uri !== "-").map(describeArtifact)].join("\n"),
    );
  }
  return outcome === "differs" || outcome === "unknown" ? EXIT_CODES.replayDiffers : EXIT_CODES.ok;
}
