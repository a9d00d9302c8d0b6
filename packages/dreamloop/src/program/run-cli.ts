import { DreamloopError, isDreamloopError, ERROR_CODES } from "@dreamloop/core";
import { Terminal } from "../terminal/terminal.ts";
import type { CliHost } from "./cli-host.ts";
import { exitCodeOf } from "./exit-code-of.ts";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";
import { Interruption } from "./interruption.ts";
import { runProgram } from "./program.ts";

/** Seconds that the work has to end after an error that nothing caught. */
const FAILURE_SECONDS = 10;

/** Runs the command line from its arguments to its exit code; never rejects. */
export async function runCli(host: CliHost): Promise<ExitCode> {
  const terminal = new Terminal(host);
  terminal.setMode({ json: host.args.includes("--json") });
  const stopWatching = watchPipes(host, terminal);
  const interruption = new Interruption(host, () => {
    const { task } = interruption;
    terminal.note(`stopping${task === undefined ? "" : `: ${task}`}; once more to exit at once`);
  });
  const ended = new AbortController();
  const stopCatching = host.onUncaught((error) => {
    if (interruption.onUncaught !== undefined) return interruption.onUncaught(error);
    const isFirst = interruption.failure === undefined;
    interruption.fail(error);
    // Work that does not heed the signal must not keep the process.
    if (isFirst) void failLate(host, ended.signal, () => reportUncaught(terminal, interruption));
  });
  try {
    const exitCode = await runProgram({ host, terminal, interruption });
    if (interruption.failure !== undefined) return reportUncaught(terminal, interruption);
    return exitCode === EXIT_CODES.ok ? (interruption.exitCode ?? exitCode) : exitCode;
  } catch (error) {
    terminal.endProgress();
    if (interruption.failure !== undefined) return reportUncaught(terminal, interruption);
    const stopped = interruption.exitCode;
    if (stopped !== undefined && isDreamloopError(error, ERROR_CODES.cancelled)) return stopped;
    const exitCode = exitCodeOf(error);
    terminal.error(error, exitCode);
    return exitCode;
  } finally {
    ended.abort();
    interruption.close();
    stopCatching();
    stopWatching();
  }
}

/** Says which world an error that nothing caught comes from; without a world the fault is one of Dreamloop itself. */
function reportUncaught(terminal: Terminal, { failure, world }: Interruption): ExitCode {
  terminal.endProgress();
  const error = failure?.error;
  if (world === undefined) terminal.error(error, EXIT_CODES.failure);
  else {
    const what = error instanceof Error ? error.message : String(error);
    const message = `${world}: an error in a timer, callback or promise of the world that nothing caught: ${what}`;
    terminal.error(new DreamloopError(ERROR_CODES.stepFailed, message, { cause: error }), EXIT_CODES.failure);
  }
  return EXIT_CODES.failure;
}

async function failLate(host: CliHost, ended: AbortSignal, report: () => ExitCode): Promise<void> {
  await host.clock.sleepUntil(host.clock.nowSeconds() + FAILURE_SECONDS, ended);
  if (!ended.aborted) host.exitNow(report());
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
