import type { FiniteInputSource, Json } from "@dreamloop/core";
import { TARGET_FORMS } from "@dreamloop/outputs";
import { findWorld } from "../lookup/find-world.ts";
import type { FoundWorld } from "../lookup/found-world.ts";
import type { CliCommand, CliContext } from "../program/cli-command.ts";
import { EXIT_CODES } from "../program/exit-codes.ts";
import { usageError } from "../program/usage-error.ts";
import { executeRun } from "../run/execute-run.ts";
import { defaultOutput } from "../run/output-specs.ts";
import { planOutput } from "../run/plan-output.ts";
import { checkedConfig } from "../run/checked-config.ts";
import { ResultFile } from "../run/result-file.ts";
import { scriptSource, traceSource } from "../run/run-input.ts";
import { DEFAULT_SECONDS, runLength } from "../run/run-length.ts";
import { describeRun, runResult } from "../run/run-result.ts";
import { startInputs } from "../run/start-inputs.ts";
import { TraceRecorder } from "../run/trace-recorder.ts";
import { givenFlags } from "../settings/given-flags.ts";
import { printableSettings } from "../settings/run-settings.ts";
import { RUN_OPTIONS, runSettings, type RunSettings } from "../settings/run-settings.ts";
import { formatTable } from "../terminal/format.ts";
import { addPrintConfigOption, addSpeechOptions, addWorldOptions, repeated } from "./options.ts";

const HELP = `
WORLD is the id of a world (see dreamloop worlds), a path to a module that exports one, a folder with a
world.json, or an installed package.

Forms of --out:
${formatTable(TARGET_FORMS.map(([form, meaning]) => [`  ${form}`, meaning]))}

Examples:
  $ dreamloop run probe
  $ dreamloop run probe --frames 300 --seed 7 --out a.mp4 --record a.trace
  $ dreamloop run probe --script drive.script --prompt "a snowy road" --out frames/ --out a.mp4
  $ dreamloop run drive --image first_frame=photo.jpg --seconds 10
  $ dreamloop run ./my-world.js --seconds 5 --set runtimeOptions.width=320
  $ dreamloop run probe --frames 90 --out - | ffplay -
  $ dreamloop run probe --frames 1000 --out null: --stats stats.json --profile profile.json
`;

/** `dreamloop run`: runs a world in batch and writes its frames. */
export const runCommand: CliCommand = {
  name: "run",
  summary: "run a world and write its frames",
  describe: (command) => {
    command
      .argument("[world]", "the world to run")
      .option("--script <file>", "play the events of a script that a person wrote")
      .option("--trace <file>", "play the events of a recorded trace")
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
      .option("--record <file>", "record an exact trace")
      .option("--record-inputs", "keep the model's inputs beside the trace, for replay --level inputs")
      .option("--stats <file>", "write statistics (JSON)")
      .option("--profile <file>", "write a profile for Perfetto or Chrome (JSON)");
    addSpeechOptions(command);
    command.addHelpText("after", HELP);
  },
  run: async (context, [worldArgument], options) => {
    const { host, terminal } = context;
    const flags = givenFlags(options, RUN_OPTIONS, worldArgument);
    const given = runSettings({ host, flags });
    if (given.world === undefined) {
      throw usageError("run: no world was named; dreamloop worlds lists them, dreamloop run probe is a first try");
    }
    const world = await findWorld(given.world, host.cwd);
    const input = await runInput(given, host.cwd);
    const { initial, ...images } = await startInputs(world.adapter, { ...given, world: world.argument }, host.cwd);
    const settings = withDefaults({ ...given, ...images }, world, input, host.cwd);
    const config = checkedConfig(world, settings, input, initial);
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
    const executed = await executeRun(context, {
      world,
      settings,
      config,
      initial,
      ...(input === undefined ? {} : { input }),
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
    const result = runResult(executed, settings, printable);
    if (terminal.mode.json) terminal.document(result);
    else terminal.result(describeRun(result, world.origin));
    return EXIT_CODES.ok;
  },
};

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
