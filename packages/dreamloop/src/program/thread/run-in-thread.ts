import { Worker } from "node:worker_threads";
import type { CliHost, OutputStream } from "../cli-host.ts";
import { EXIT_CODES } from "../exit-codes.ts";
import type { FromThread, StreamFacts, StreamName, ThreadStart, ToThread } from "./thread-messages.ts";

/** What `runInThread` needs of the process. */
export type ThreadedProcess = Pick<
  CliHost,
  "args" | "cwd" | "stdout" | "stderr" | "onStop" | "ask" | "exitNow" | "stopNow"
>;

/**
 * Runs a command in a thread of its own, so that signals are heard whatever a world's code does in there: the first asks the command to end,
 * the second ends the process at once. Resolves with the exit code.
 */
export function runInThread(host: ThreadedProcess): Promise<number> {
  const { args, cwd, stdout, stderr } = host;
  const streams: Readonly<Record<StreamName, OutputStream>> = { stdout, stderr };
  const start: ThreadStart = {
    args,
    cwd,
    streams: { stdout: factsOf(stdout), stderr: factsOf(stderr) },
    canAsk: host.ask !== undefined,
  };
  const worker = new Worker(new URL("./command-thread.js", import.meta.url), { workerData: start });
  const post = (message: ToThread): void => worker.postMessage(message);
  let listens = false;
  host.onStop((signal) => {
    if (!listens) {
      host.stopNow(signal);
      return;
    }
    listens = false;
    post({ type: "stop", signal });
  });
  for (const [name, stream] of Object.entries(streams) as [StreamName, OutputStream][]) {
    stream.on("resize", () => {
      if (stream.columns !== undefined) post({ type: "columns", stream: name, columns: stream.columns });
    });
  }
  return new Promise((resolve) => {
    worker.on("message", (message: FromThread) => {
      switch (message.type) {
        case "write": {
          const { stream, id, bytes } = message;
          streams[stream].write(bytes, (error?: NodeJS.ErrnoException | null) => {
            const fault =
              error === undefined || error === null
                ? {}
                : { fault: { message: error.message, ...(error.code === undefined ? {} : { code: error.code }) } };
            post({ type: "written", stream, id, ...fault });
          });
          break;
        }
        case "listens":
          listens = message.listens;
          break;
        case "ask":
          void host.ask?.(message.question).then((yes) => post({ type: "answer", yes }));
          break;
        case "exit_now":
          host.exitNow(message.exitCode);
          break;
        case "ended":
          resolve(message.exitCode);
          break;
      }
    });
    worker.on("error", (error: unknown) => {
      stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
      resolve(EXIT_CODES.failure);
    });
    // A world's code may end its thread by `process.exit`.
    worker.on("exit", (code) => resolve(code));
  });
}

function factsOf(stream: OutputStream): StreamFacts {
  return { isTTY: stream.isTTY === true, ...(stream.columns === undefined ? {} : { columns: stream.columns }) };
}
