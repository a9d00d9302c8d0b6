import type { FiniteInputSource, Json } from "@dreamloop/core";
import { finite } from "@dreamloop/core/internal";
import { TARGET_FORMS } from "@dreamloop/outputs";
import { findWorld } from "../lookup/find-world.ts";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliCommand, CliContext } from "../program/cli-command.ts";
import { settling } from "../program/exit-code-of.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import { confirmReplacing } from "../run/confirm-replacing.ts";
import { executeRun } from "../run/execute-run.ts";
import { defaultOutput } from "../run/output-specs.ts";
import { momentName, MomentWriter } from "../run/moment-writer.ts";
import { openFrom, promptSource, type OpenedMoment } from "../run/run-from.ts";
import { planOutput } from "../run/plan-output.ts";
import { checkedConfig } from "../run/checked-config.ts";
import { ResultFile } from "../run/result-file.ts";
import { scriptSource, traceSource } from "../run/run-input.ts";
import { DEFAULT_SECONDS, runLength } from "../run/run-length.ts";
import { describeRun, runResult } from "../run/run-result.ts";
import { startInputs } from "../run/start-inputs.ts";
import { TraceRecorder } from "../run/trace-recorder.ts";
import { asNumber } from "../settings/setting.ts";
import { givenFlags } from "../settings/given-flags.ts";
import { printableSettings } from "../settings/run-settings.ts";
import { RUN_OPTIONS, runSettings, type RunSettings } from "../settings/run-settings.ts";
import { formatTable } from "../terminal/format.ts";
import { addForceOption, addPrintConfigOption, addSpeechOptions, addWorldOptions, repeated } from "./options.ts";

const HELP = `
WORLD is the id of a world (see dreamloop worlds), a path to a module that exports one, a folder with a
world.json, or an installed package.

Forms of --out:
${formatTable(TARGET_FORMS.map(([form, meaning]) => [`  ${form}`, meaning]))}

Examples:
  $ dreamloop run probe
  $ dreamloop run probe --frames 300 --seed 7 --out a.mp4 --record a.trace
  $ dreamloop run probe --script drive.script --prompt "a snowy road" --out frames/ --out a.mp4
  $ dreamloop run drive --frames 400 --snapshot-every 100 --record a.trace
  $ dreamloop run --from a-000200.dream --frames 200 --out rest.mp4
  $ dreamloop run drive --image first_frame=photo.jpg --seconds 10
  $ dreamloop run ./my-world.js --seconds 5 --set runtimeOptions.width=320
  $ dreamloop run probe --frames 90 --out - | ffplay -
  $ dreamloop run probe --frames 1000 --out null: --stats stats.json --profile profile.json
`;

/** `dreamloop run`: runs a world in batch and writes its frames. */
export const runCommand: CliCommand = {
  describe: (command) => {
    command
      .argument("[world]", "the world to run")
      .option("--script <file>", "play the events of a script that a person wrote")
      .option("--trace <file>", "play the events of a recorded trace")
      .option("--from <moment>", "go on from a moment file instead of starting the world")
      .option("--allow-other-engine", "with --from: go on although the engine is another; frames may then differ")
      .option("--frames <n>", "render exactly so many frames")
      .option(
        "--seconds <s>",
        `render so many seconds of the world's time; default ${DEFAULT_SECONDS}, or what the input needs`,
      );
    addWorldOptions(command);
    addPrintConfigOption(command);
    command
      .option("--out <target>", "where frames go; repeatable; default a new video named after the world", repeated)
      .option("--encoder <name>", "encoder of MP4 files: auto, webcodecs or ffmpeg; default auto")
      .option(
        "--snapshot-every <n>",
        "save a moment (.dream) every so many frames, beside the trace or in the current folder",
      )
      .option("--record <file>", "record an exact trace")
      .option("--record-inputs", "keep the model's inputs beside the trace, for replay --level model-inputs")
      .option("--stats <file>", "write statistics (JSON)")
      .option("--profile <file>", "write a profile for Perfetto or Chrome (JSON)");
    addForceOption(command);
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [worldArgument], options) => {
    const { host, terminal } = context;
    const flags = givenFlags(options, RUN_OPTIONS, worldArgument);
    const asked = runSettings({ host, flags });
    const moment = await momentOf(options, asked, host.cwd);
    const given = moment === undefined ? asked : withMoment(asked, moment);
    if (given.world === undefined) {
      throw usageError("run: no world was named; dreamloop worlds lists them, dreamloop run probe is a first try");
    }
    context.interruption.world = given.world;
    const world = await findWorld(given.world, { ...given, cwd: host.cwd, env: host.env });
    const input = await runInput(given, host.cwd);
    const prompt = moment === undefined ? undefined : (options.prompt as string | undefined);
    const source =
      prompt === undefined || moment === undefined
        ? input
        : promptSource(prompt, moment.facts.position.sessionSeconds, input);
    const { initial, ...images } = await startInputs(world.adapter, { ...given, world: world.argument }, host.cwd);
    const settings = withDefaults({ ...given, ...images }, world, input, host.cwd);
    const config = checkedConfig(world, settings, input, moment?.from.state.rollout.initial ?? initial);
    const printable = printableSettings(settings, config);
    if (options.printConfig === true) {
      terminal.document(printable);
      return EXIT_CODES.ok;
    }
    sayDefaults(context, given, settings);
    const { out, encoder, stats, profile, record, trace, script } = settings;
    const files = Object.entries({ record, stats, profile, trace, script });
    const output = planOutput(context, {
      out,
      encoder,
      files: files.map(([name, path]) => [`--${name}`, path] as const),
      config: printable as Json,
    });
    const every = snapshotFrames(options.snapshotEvery);
    const moments =
      every === undefined
        ? undefined
        : new MomentWriter({ every, pathOf: momentName(world.adapter.modelId, record), cwd: host.cwd });
    await confirmReplacing(context, {
      uses: [
        ...out.map((spec) => ["--out", spec] as const),
        ["--record", record],
        ["--stats", stats],
        ["--profile", profile],
      ],
      force: options.force === true,
    });
    const executed = await executeRun(context, {
      world,
      settings,
      config,
      initial,
      ...(source === undefined ? {} : { input: source }),
      ...(moment === undefined ? {} : { from: moment.from }),
      ...(moments === undefined ? {} : { moments }),
      length: runLength(settings, input),
      output,
      ...(stats === undefined ? {} : { stats: new ResultFile({ option: "--stats", path: stats, cwd: host.cwd }) }),
      ...(profile === undefined
        ? {}
        : { profile: new ResultFile({ option: "--profile", path: profile, cwd: host.cwd }) }),
      ...(record === undefined
        ? {}
        : { recorder: await TraceRecorder.open({ path: record, ...settings, cwd: host.cwd }) }),
    });
    const result = runResult(executed, settings, printable, moments?.paths);
    if (terminal.mode.json) terminal.document(result);
    else terminal.result(describeRun(result, world.origin));
    return EXIT_CODES.ok;
  },
};

function snapshotFrames(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  return settling(() => finite({ integer: true, min: 1 })(asNumber(given as string), "--snapshot-every"));
}

/** The moment of `--from`. What a moment brings itself cannot be given beside it. */
async function momentOf(
  options: Readonly<Record<string, unknown>>,
  settings: RunSettings,
  cwd: string,
): Promise<OpenedMoment | undefined> {
  if (options.from === undefined) {
    if (options.allowOtherEngine === true)
      throw usageError("--allow-other-engine: there is no moment; add --from FILE");
    return undefined;
  }
  for (const [name, flag] of [
    ["initial", "--initial"],
    ["image", "--image"],
  ] as const) {
    if (options[name] !== undefined)
      throw usageError(`${flag}: a moment brings its initial inputs itself; leave it out`);
  }
  return openFrom(options.from as string, {
    cwd,
    ...(options.seed === undefined ? {} : { seed: settings.seed }),
    allowOtherEngine: options.allowOtherEngine === true,
  });
}

/** The settings with what the moment brings: its world, its configuration, its seed and the inputs that it was started with. */
function withMoment(asked: RunSettings, { facts, from }: OpenedMoment): RunSettings {
  const { modelId, ...config } = facts.binding.config;
  const { images: _images, ...settings } = asked;
  return {
    ...settings,
    world: asked.world ?? modelId,
    seed: from.seed ?? facts.position.seed,
    initial: {},
    candidate: 0,
    inference: { ...(JSON.parse(JSON.stringify(config)) as object), ...asked.inference },
  };
}

async function runInput({ trace, script }: RunSettings, cwd: string): Promise<FiniteInputSource | undefined> {
  if (script !== undefined) return scriptSource(script, cwd);
  return trace === undefined ? undefined : traceSource(trace, cwd);
}

/** Adds what was left open: how long, and where to. Who asks for a trace or for figures alone gets no video. */
function withDefaults(
  given: RunSettings,
  world: FoundWorld,
  input: FiniteInputSource | undefined,
  cwd: string,
): RunSettings {
  const { frames, seconds, out, record, stats, profile } = given;
  const isOpen = frames === undefined && seconds === undefined && input === undefined;
  const wantsFiles = record !== undefined || stats !== undefined || profile !== undefined;
  const fallback = wantsFiles ? "null:" : defaultOutput(world.adapter.modelId, cwd);
  return {
    ...given,
    ...(isOpen ? { seconds: DEFAULT_SECONDS } : {}),
    out: out.length > 0 ? out : [fallback],
  };
}

function sayDefaults({ terminal }: CliContext, given: RunSettings, settings: RunSettings): void {
  if (given.seconds === undefined && settings.seconds !== undefined) {
    terminal.note(`rendering ${settings.seconds} s; choose with --frames, --seconds, --script or --trace`);
  }
  if (given.out.length > 0) return;
  const [chosen] = settings.out;
  terminal.note(
    chosen === "null:" ? "keeping no frames; choose where they go with --out" : `writing ${chosen}; choose with --out`,
  );
}
