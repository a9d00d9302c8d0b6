import { createInterface } from "node:readline";
import type { CliHost, OutputStream, StopSignal } from "./cli-host.ts";

/** The process that this runs in, but for its clock, whose package takes a while to load and is not needed beside a thread. */
export function processHost(): Omit<CliHost, "clock"> {
  return {
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    onStop: (listener) => {
      const signals: readonly StopSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];
      for (const signal of signals) process.on(signal, listener);
      return () => {
        for (const signal of signals) process.off(signal, listener);
      };
    },
    onUncaught: listenToUncaught,
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {}),
    exitNow: (exitCode) => process.exit(exitCode),
    stopNow: (signal) => {
      // Ending in an orderly way would wait for threads, and one of them may be why somebody asks twice.
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    },
  };
}

/** Listens to errors that nothing caught in this thread, until the returned function is called. */
export function listenToUncaught(listener: (error: unknown) => void): () => void {
  const events = ["uncaughtException", "unhandledRejection"] as const;
  for (const event of events) process.on(event, listener);
  return () => {
    for (const event of events) process.off(event, listener);
  };
}

/** Asks on the terminal; anything but `y` or `yes`, Ctrl-C and the end of the input are a no. */
function ask(question: string): Promise<boolean> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    lines.once("SIGINT", () => lines.close());
    lines.once("close", () => resolve(false));
    lines.question(`${question} [y/N] `, (answer) => {
      resolve(/^y(es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}

/** Resolves when everything written to the stream so far has left the process, or never will. */
export function flushed(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}
