import { ProcessClock } from "@dreamloop/node";
import type { CliHost, OutputStream, StopSignal } from "./cli-host.ts";

/** The process that this runs in. */
export function processHost(): CliHost {
  return {
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    clock: new ProcessClock(),
    onStop: (listener) => {
      const signals: readonly StopSignal[] = ["SIGINT", "SIGTERM"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    exitNow: (exitCode) => process.exit(exitCode),
    stopNow: (signal) => {
      // Ending in an orderly way would wait for threads, and one of them may be why somebody asks twice.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
  };
}

/** Resolves when everything written to the stream so far has left the process, or never will. */
export function flushed(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
