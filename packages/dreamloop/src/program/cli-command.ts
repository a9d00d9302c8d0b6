import type { Command } from "commander";
import type { ParsedOptions } from "../settings/given-flags.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { CliHost } from "./cli-host.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Interruption } from "./interruption.ts";

/** What a command works with. */
export interface CliContext {
  /** Everything outside of the command. */
  readonly host: CliHost;
  /** What the command says. */
  readonly terminal: Terminal;
  /** Ctrl-C and its kin. */
  readonly interruption: Interruption;
}

/** The work of a command once its arguments are known; resolves with the exit code, throws what went wrong. */
export type CliAction = (context: CliContext, args: readonly string[], options: ParsedOptions) => Promise<ExitCode>;

/**
 * One command of the command line, a file in `commands/` each. `describe` adds arguments, options and examples to the command that
 * it is given; it gets its name and its line of help in
 * `commands/index.ts`.
 */
export interface CliCommand {
  /** Adds arguments, options and examples. */
  describe(command: Command): void;
  /** Does the work. */
  readonly run: CliAction;
}
