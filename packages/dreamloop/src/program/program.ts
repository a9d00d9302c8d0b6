import { Command } from "commander";
import { COMMANDS } from "../commands/index.ts";
import type { CliContext } from "./cli-command.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { didYouMean, usageError } from "./usage-error.ts";
import { packageVersion } from "./version.ts";

const EXAMPLES = `
Examples:
  $ dreamloop worlds
  $ dreamloop run probe --frames 300 --seed 7 --out a.mp4 --record a.trace
  $ dreamloop replay a.trace
  $ dreamloop run --help
`;

/** What a person sees who types the name alone. */
const START = `
  dreamloop play          play a world in the browser
  dreamloop worlds        list the worlds that are here
  dreamloop run drive     write a video of a world
  dreamloop --help        all commands; COMMAND --help has options and examples
`;

/** What commander throws, whichever copy of it. */
interface CommanderFault {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
}

/** Parses the arguments and runs the command that they name. */
export async function runProgram(context: CliContext): Promise<ExitCode> {
  const { host, terminal } = context;
  if (host.args.length === 0) {
    terminal.result(
      `Dreamloop ${packageVersion()}: plays, renders, records and repeats interactive world models.\n${START.trimEnd()}`,
    );
    return EXIT_CODES.ok;
  }
  let exitCode: ExitCode = EXIT_CODES.ok;
  const program = new Command("dreamloop")
    .description("Runs, renders, replays and checks interactive world models.")
    .version(packageVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut: (text) => host.stdout.write(text),
      writeErr: (text) => host.stderr.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => host.stdout.columns ?? 100,
      getErrHelpWidth: () => host.stderr.columns ?? 100,
    })
    .addHelpText("after", EXAMPLES);
  refuseThroughErrors(program);
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).description(entry.summary).helpOption("-h, --help", "print help");
    refuseThroughErrors(command);
    // Only a command that is named is run or asked for help; `help run` names one as well.
    if (!host.args.includes(entry.name)) continue;
    const loaded = await entry.load();
    loaded.describe(command);
    command.action(async () => {
      const options: { readonly json?: boolean; readonly quiet?: boolean } = command.opts();
      terminal.setMode({ json: options.json === true, quiet: options.quiet === true });
      exitCode = await loaded.run(context, command.args, options);
    });
  }
  try {
    await program.parseAsync(host.args, { from: "user" });
  } catch (error) {
    if (!isCommanderFault(error)) throw error;
    return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
  return exitCode;
}

/** Turns what the parser refuses into errors of this package, with the nearest match among what this command knows. */
function refuseThroughErrors(command: Command): void {
  command.exitOverride((fault) => {
    // Help and version have been printed, also when nobody asked for them.
    if (fault.exitCode === 0 || fault.code === "commander.help") throw fault;
    throw usageError(explain(fault, command));
  });
}

function explain(fault: CommanderFault, command: Command): string {
  const said = fault.message.replace(/^error: /, "").split("\n")[0];
  const word = /'([^']*)'/.exec(said)?.[1] ?? "";
  const help = ` See ${fullName(command)} --help`;
  switch (fault.code) {
    case "commander.unknownOption": {
      const flags = command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]));
      return `${said}.${didYouMean(word.split("=")[0], [...flags, "--help"])}${help}`;
    }
    case "commander.unknownCommand":
      return `${said}.${didYouMean(
        word,
        COMMANDS.map(({ name }) => name),
      )}${help}`;
    default:
      return `${said.replace(/\.$/, "")}.${help}`;
  }
}

function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
}

function isCommanderFault(error: unknown): error is CommanderFault {
  return (
    typeof (error as { readonly code?: unknown } | null)?.code === "string" &&
    (error as CommanderFault).code.startsWith("commander.")
  );
}
