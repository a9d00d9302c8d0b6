import { EXIT_CODES } from "./program/exit-codes.ts";
import { flushed, processHost } from "./program/process-host.ts";
import { runCli } from "./program/run-cli.ts";

const host = processHost();
/** Why standard output takes no more: the code of the operating system's error. */
let outputFault: string | undefined;

// Without listeners a reader that goes away, such as `head`, would end the process with a stack, even while the last words are written.
host.stdout.on("error", (error: NodeJS.ErrnoException) => {
  outputFault ??= error.code ?? error.message;
});
host.stderr.on("error", () => undefined);

// The process is ended and not left to end by itself: a world's own code may have left timers or threads behind.
void runCli(host).then(async (exitCode) => {
  await Promise.all([flushed(host.stdout), flushed(host.stderr)]);
  if (outputFault === undefined || exitCode !== EXIT_CODES.ok) process.exit(exitCode);
  if (outputFault === "EPIPE") process.exit(EXIT_CODES.brokenPipe);
  host.stderr.write(`error: could not write to standard output (${outputFault}); choose another place for it\n`);
  await flushed(host.stderr);
  process.exit(EXIT_CODES.failure);
});
