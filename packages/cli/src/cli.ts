import { EXIT_CODES } from "./program/exit-codes.ts";
import { flushed, processHost } from "./program/process-host.ts";
import { runCli } from "./program/run-cli.ts";

const host = processHost();
let isReaderGone = false;

// Without listeners a reader that goes away, such as `head`, would end the process with a stack, even while the last words are written.
host.stdout.on("error", () => {
  isReaderGone = true;
});
host.stderr.on("error", () => undefined);

// The process is ended and not left to end by itself: a world's own code may have left timers or threads behind.
void runCli(host).then(async (exitCode) => {
  await Promise.all([flushed(host.stdout), flushed(host.stderr)]);
  process.exit(isReaderGone && exitCode === EXIT_CODES.ok ? EXIT_CODES.brokenPipe : exitCode);
});
