import { flushed, processHost } from "./program/process-host.ts";
import { runCli } from "./program/run-cli.ts";

const host = processHost();

// The process is ended and not left to end by itself: a world's own code may have left timers or threads behind.
void runCli(host).then(async (exitCode) => {
  await Promise.all([flushed(host.stdout), flushed(host.stderr)]);
  process.exit(exitCode);
});
