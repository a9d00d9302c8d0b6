import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { NativeMemory } from "../carriers/native-memory.ts";
import { SharedFrames } from "../carriers/shared-frames.ts";
import { SocketCarrier, type CarrierStream } from "../carriers/socket-carrier.ts";
import { ProtocolClient, type WorldLog } from "../backend/protocol-client.ts";
import { endError, placeInStack, stackIn, type ProcessEnd } from "./last-words.ts";
import { inheritedEnvironment } from "./inherited-environment.ts";
import { OutputLines } from "./output-lines.ts";
import { endGroup, identityOf, type ProcessIdentity } from "./process-group.ts";
import { WorldTraceback } from "../backend/world-error.ts";

/** What `WorkerProcess` takes. */
export interface WorkerProcessOptions {
  /** The program. */
  readonly command: string;
  /** Its arguments; the descriptors in `WORKER_DESCRIPTORS` are added as `--control`, `--lifeline` and `--shared`. */
  readonly args: readonly string[];
  /** The folder that it starts in. */
  readonly cwd: string;
  /** How errors name the world. */
  readonly label: string;
  /** Its whole environment; default that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Variables that it gets beside its environment, or in place of those of the same names. */
  readonly extraEnv?: Readonly<Record<string, string>>;
  /** Whether frames may go through shared memory; default true. */
  readonly useSharedMemory?: boolean;
  /** Gets what it prints and logs. */
  readonly onLog?: (line: WorldLog) => void;
  /** Whether a file belongs to the world's author, so that a stack can be told by it. */
  readonly isAuthors: (file: string) => boolean;
}

/** The descriptors that a worker inherits. */
export const WORKER_DESCRIPTORS = { control: 3, lifeline: 4, shared: 5 } as const;

/** Seconds that a worker gets to say hello. */
export const HELLO_SECONDS = 60;

/** Seconds that a worker gets to end by itself before its group is ended by force. */
const END_SECONDS = 3;

/** Seconds that a worker that hangs gets to write its stack. */
const STACK_SECONDS = 0.5;

let openedMemory: NativeMemory | string | undefined;

/** The C library, opened once in a thread: its functions cannot be unloaded. */
function nativeMemory(): NativeMemory | string {
  openedMemory ??= NativeMemory.open();
  return openedMemory;
}

/**
 * A process that runs one world, in a process group of its own. Nothing is left of it when it or this program ends, in whatever way: its connection and its
 * shared memory have no names, and a guardian in its group ends the group once this program is gone.
 */
export class WorkerProcess {
  /** The connection to it. */
  readonly client: ProtocolClient;
  /** Its shared memory; absent when frames travel through the socket. */
  readonly frames: SharedFrames | undefined;
  /** How its frames travel, for people. */
  readonly frameCarrier: string;
  /** Resolves with the reason when it fails; never when it is closed. */
  readonly failed: Promise<DreamloopError>;
  readonly #options: WorkerProcessOptions;
  readonly #child: ChildProcess;
  readonly #identity: ProcessIdentity | undefined;
  readonly #carrier: SocketCarrier;
  readonly #lines: OutputLines;
  readonly #exited: Promise<ProcessEnd>;
  #end: ProcessEnd | undefined;
  #closing: Promise<void> | undefined;

  /** Starts the process; await `client.hello()` before anything else. */
  constructor(options: WorkerProcessOptions) {
    const { command, args, cwd, label, onLog } = options;
    this.#options = options;
    const memory = options.useSharedMemory === false ? "it is switched off" : nativeMemory();
    const descriptor = typeof memory === "string" ? undefined : memory.create();
    this.frames =
      typeof memory === "string" || descriptor === undefined ? undefined : new SharedFrames({ memory, descriptor });
    this.frameCarrier = typeof memory === "string" ? `the socket, as ${memory}` : "shared memory";
    const { control, lifeline, shared } = WORKER_DESCRIPTORS;
    const stdio: StdioOptions = ["ignore", "pipe", "pipe", "pipe", "pipe", descriptor ?? "ignore"];
    const descriptors = ["--control", `${control}`, "--lifeline", `${lifeline}`];
    this.#child = spawn(
      command,
      [...args, ...descriptors, ...(descriptor === undefined ? [] : ["--shared", `${shared}`])],
      {
        cwd,
        stdio,
        detached: process.platform !== "win32",
        windowsHide: true,
        ...(options.env === undefined && options.extraEnv === undefined
          ? {}
          : { env: { ...(options.env ?? inheritedEnvironment()), ...options.extraEnv } }),
      },
    );
    const { pid } = this.#child;
    this.#identity = pid === undefined ? undefined : identityOf(pid);
    this.#exited = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve({ code, signal }));
      this.#child.once("error", () => resolve({ code: null, signal: null }));
    });
    const [, stdout, stderr, connection] = this.#child.stdio as unknown as [null, Readable, Readable, CarrierStream];
    const log = (text: string): void => onLog?.({ level: "info", text });
    new OutputLines(stdout, log);
    this.#lines = new OutputLines(stderr, (line) => {
      if (!line.startsWith("dreamloop-refusal ")) log(line);
    });
    this.#carrier = new SocketCarrier(connection);
    let fail: (error: DreamloopError) => void = () => undefined;
    this.failed = new Promise((resolve) => (fail = resolve));
    this.client = new ProtocolClient({
      carrier: this.#carrier,
      label,
      ...(onLog === undefined ? {} : { onLog }),
      explainClose: () => this.#explainClose(),
      onFailure: (error) => {
        if (this.#closing === undefined) fail(error);
        void this.close();
      },
    });
    this.#child.once("error", (error) => {
      this.client.fail(
        new DreamloopError(ERROR_CODES.unavailable, `${label}: ${command} could not be started: ${error.message}`, {
          cause: error,
        }),
      );
    });
    // Also where something that it started still holds its end of the connection.
    void this.#exited.then(async (end) => {
      this.#end = end;
      const error = await this.#explainClose();
      if (error !== undefined) this.client.fail(error);
    });
  }

  /** The process's number; absent when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Waits for its hello; throws what its interpreter lacks. */
  async hello(): Promise<void> {
    const { label } = this.#options;
    const timer = setTimeout(() => {
      this.client.fail(
        new DreamloopError(ERROR_CODES.workerFailed, `${label}: its process said nothing for ${HELLO_SECONDS} s`),
      );
    }, HELLO_SECONDS * 1000);
    try {
      await this.client.hello();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Fails the worker because it does not come back; the cause holds the stack that it hung in. */
  async hang(what: string): Promise<void> {
    const { label, isAuthors } = this.#options;
    const { pid } = this.#child;
    if (pid === undefined || this.#end !== undefined) return;
    const seen = this.#lines.lines.length;
    if (process.platform !== "win32") {
      this.#child.kill("SIGUSR2");
      await Promise.race([this.#exited, pause(STACK_SECONDS)]);
    }
    const written = this.#lines.lines.slice(seen);
    const stack = stackIn(written);
    const place = placeInStack(written, isAuthors);
    const message = `${label}: ${what}${place === undefined ? "" : `; it was at ${place}`}`;
    const cause = stack === undefined ? {} : { cause: new WorldTraceback(stack) };
    this.client.fail(new DreamloopError(ERROR_CODES.workerFailed, message, { retryable: true, ...cause }));
  }

  /** Lets this program end although the worker runs, which ends the worker; or not. */
  keepAlive(keep: boolean): void {
    this.#carrier.keepAlive(keep);
    if (keep) this.#child.ref();
    else this.#child.unref();
    for (const stream of this.#child.stdio as readonly (CarrierStream | null | undefined)[]) {
      if (keep) stream?.ref?.();
      else stream?.unref?.();
    }
  }

  /** Ends it and everything that it started: by itself within some seconds, else by force. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const isWell = this.client.failure === undefined;
    if (isWell) this.client.notify({ type: "bye" });
    if (isWell) await Promise.race([this.#exited, pause(END_SECONDS)]);
    this.client.close();
    if (this.#end === undefined && this.#identity !== undefined) endGroup(this.#identity);
    await this.#exited;
    // Also what it started and left behind, its guardian among it.
    if (this.#identity !== undefined) endGroup(this.#identity);
    (this.#child.stdio[WORKER_DESCRIPTORS.lifeline] as Writable | null | undefined)?.destroy();
    this.frames?.close();
  }

  /** A closed connection says less than the end of the process that it belonged to. */
  async #explainClose(): Promise<DreamloopError | undefined> {
    const end = await Promise.race([this.#exited, pause(END_SECONDS)]);
    if (end === undefined) return undefined;
    await Promise.race([this.#lines.ended, pause(STACK_SECONDS)]);
    return endError(this.#options.label, end, this.#lines.lines);
  }
}

function pause(seconds: number): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), seconds * 1000).unref();
  });
}
