import { isDreamloopError, ERROR_CODES } from "@dreamloop/core";
import { Terminal } from "../terminal/terminal.ts";
import type { CliHost } from "./cli-host.ts";
import { EXIT_CODES, exitCodeOf, type ExitCode } from "./exit-codes.ts";
import { Interruption } from "./interruption.ts";
import { runProgram } from "./program.ts";

/** Runs the command line from its arguments to its exit code; never rejects. */
export async function runCli(host: CliHost): Promise<ExitCode> {
  const terminal = new Terminal(host);
  terminal.setMode({ json: host.args.includes("--json") });
  const stopWatching = watchPipes(host, terminal);
  const interruption = new Interruption(host, () => {
    const { task } = interruption;
    terminal.note(`stopping${task === undefined ? "" : `: ${task}`}; once more to exit at once`);
  });
  try {
    const exitCode = await runProgram({ host, terminal, interruption });
    return exitCode === EXIT_CODES.ok ? (interruption.exitCode ?? exitCode) : exitCode;
  } catch (error) {
    terminal.endProgress();
    const stopped = interruption.exitCode;
    if (stopped !== undefined && isDreamloopError(error, ERROR_CODES.cancelled)) return stopped;
    const exitCode = exitCodeOf(error);
    terminal.error(error, exitCode);
    return exitCode;
  } finally {
    interruption.close();
    stopWatching();
  }
}

/** A reader that goes away, such as `head`, ends the command without a word, unless frames go there: their target reports it. */
function watchPipes(host: CliHost, terminal: Terminal): () => void {
  const onOut = (error: NodeJS.ErrnoException): void => {
    if (!terminal.mode.stdoutTaken && error.code === "EPIPE") host.exitNow(EXIT_CODES.brokenPipe);
  };
  const onErr = (): void => undefined;
  host.stdout.on("error", onOut);
  host.stderr.on("error", onErr);
  return () => {
    host.stdout.off("error", onOut);
    host.stderr.off("error", onErr);
  };
}
