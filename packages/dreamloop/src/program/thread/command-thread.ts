import { parentPort, workerData, type MessagePort } from "node:worker_threads";
import { flushed } from "../process-host.ts";
import { runCli } from "../run-cli.ts";
import { threadHost } from "./thread-host.ts";
import type { FromThread, ThreadStart } from "./thread-messages.ts";

/** The command in its thread: runs it and says how it ended. */
const port = parentPort as MessagePort;
const host = threadHost(workerData as ThreadStart, port);
// Without listeners a reader that goes away would end the thread with a stack; the main thread knows of it as well.
host.stdout.on("error", () => undefined);
host.stderr.on("error", () => undefined);
void runCli(host).then(async (exitCode) => {
  await Promise.all([flushed(host.stdout), flushed(host.stderr)]);
  port.postMessage({ type: "ended", exitCode } satisfies FromThread);
});
