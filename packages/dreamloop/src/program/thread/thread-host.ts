import { Writable } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { ProcessClock } from "@dreamloop/node";
import { listenToUncaught } from "../process-host.ts";
import type { CliHost, OutputStream, StopSignal } from "../cli-host.ts";
import type { FromThread, StreamFacts, StreamFault, StreamName, ThreadStart, ToThread } from "./thread-messages.ts";

/** The process as a command in a thread of its own sees it: streams and signals belong to the main thread. */
export function threadHost(start: ThreadStart, port: MessagePort): CliHost {
  const post = (message: FromThread): void => port.postMessage(message);
  const streams = {
    stdout: new PortStream("stdout", start.streams.stdout, port),
    stderr: new PortStream("stderr", start.streams.stderr, port),
  };
  const stopListeners = new Set<(signal: StopSignal) => void>();
  let answered: ((yes: boolean) => void) | undefined;
  port.on("message", (message: ToThread) => {
    switch (message.type) {
      case "written":
        streams[message.stream].written(message.id, message.fault);
        break;
      case "columns":
        streams[message.stream].columns = message.columns;
        break;
      case "stop":
        for (const listener of stopListeners) listener(message.signal);
        break;
      case "answer":
        answered?.(message.yes);
        break;
    }
  });
  return {
    args: start.args,
    env: process.env,
    cwd: start.cwd,
    stdout: streams.stdout,
    stderr: streams.stderr,
    clock: new ProcessClock(),
    onStop: (listener) => {
      stopListeners.add(listener);
      post({ type: "listens", listens: true });
      return () => {
        stopListeners.delete(listener);
        post({ type: "listens", listens: stopListeners.size > 0 });
      };
    },
    onUncaught: listenToUncaught,
    ...(start.canAsk
      ? {
          ask: (question: string) =>
            new Promise<boolean>((resolve) => {
              answered = resolve;
              post({ type: "ask", question });
            }),
        }
      : {}),
    exitNow: (exitCode) => post({ type: "exit_now", exitCode }),
    // The main thread has ended the process before a second signal could arrive here.
    stopNow: () => undefined,
  };
}

/** A stream of the process: a write is complete when the main thread has written it. */
class PortStream extends Writable implements OutputStream {
  readonly isTTY: boolean;
  columns: number | undefined;
  readonly #name: StreamName;
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, (error?: Error) => void>();
  #count = 0;

  constructor(name: StreamName, facts: StreamFacts, port: MessagePort) {
    super({ decodeStrings: true });
    this.#name = name;
    this.#port = port;
    this.isTTY = facts.isTTY;
    this.columns = facts.columns;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#count += 1;
    this.#waiting.set(this.#count, done);
    const bytes = Uint8Array.prototype.slice.call(chunk);
    const message: FromThread = { type: "write", stream: this.#name, id: this.#count, bytes };
    this.#port.postMessage(message, [bytes.buffer]);
  }

  written(id: number, fault: StreamFault | undefined): void {
    const done = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (fault === undefined) done?.();
    else done?.(Object.assign(new Error(fault.message), fault.code === undefined ? {} : { code: fault.code }));
  }
}
