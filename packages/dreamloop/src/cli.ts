import { EXIT_CODES } from "./program/exit-codes.ts";
import { flushed, processHost } from "./program/process-host.ts";

const host = processHost();
/** Why standard output takes no more: the code of the operating system's error. */
let outputFault: string | undefined;

// Without listeners a reader that goes away, such as `head`, would end the process with a stack, even while the last words are written.
host.stdout.on("error", (error: NodeJS.ErrnoException) => {
  outputFault ??= error.code ?? error.message;
});
host.stderr.on("error", () => undefined);

/** Commands that run a world's code in the thread that runs the command; `play` and `serve` give each world a thread anyway. */
const THREADED = ["run", "replay", "check", "fork"];

async function runCommand(): Promise<number> {
  const isThreaded = host.args.length > 0 && THREADED.includes(host.args[0]);
  if (isThreaded) return (await import("./program/thread/run-in-thread.ts")).runInThread(host);
  const [{ ProcessClock }, { runCli }] = await Promise.all([import("@dreamloop/node"), import("./program/run-cli.ts")]);
  return runCli({ ...host, clock: new ProcessClock() });
}

// The process is ended and not left to end by itself: a world's own code may have left timers or threads behind.
void runCommand().then(async (exitCode) => {
  await Promise.all([flushed(host.stdout), flushed(host.stderr)]);
  if (outputFault === undefined || exitCode !== EXIT_CODES.ok) process.exit(exitCode);
  if (outputFault === "EPIPE") process.exit(EXIT_CODES.brokenPipe);
  host.stderr.write(`error: could not write to standard output (${outputFault}); choose another place for it\n`);
  await flushed(host.stderr);
  process.exit(EXIT_CODES.failure);
});
