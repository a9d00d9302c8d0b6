import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { writeToStream } from "../../target/write-to-stream.ts";
import { messageHead, MessageReader, MESSAGE_TYPES, type MessageHeader } from "./messages.ts";

/** Who gets the messages of one encoder or decoder. */
export interface ChannelListener {
  /** One message; the payload is valid during the call only. */
  readonly onMessage: (header: MessageHeader, payload: Uint8Array) => void;
  /** The process or this channel has failed. */
  readonly onFailure: (error: DreamloopError) => void;
}

/** Text of the library's own output that is kept for error messages, in characters. */
const KEPT_OUTPUT = 2000;

/** How long the process has for its end, in seconds; one that hangs in a codec is killed then. */
const CLOSE_SECONDS = 5;

/** Program and arguments of the process. As long as the sources have not been built (in tests), Node needs help to read them. */
function processArguments(): string[] {
  const isSource = import.meta.url.endsWith(".ts");
  const entry = new URL(isSource ? "./encoder-process.ts" : "./encoder-process.js", import.meta.url);
  // Without this policy Node only prints faults in the library's callbacks.
  const policy = "--force-node-api-uncaught-exceptions-policy=true";
  return [policy, ...(isSource ? ["--import", "tsx"] : []), fileURLToPath(entry)];
}

/**
 * One process that encodes, for any number of encoders. It starts with the first of them and does not keep this process alive by
 * itself; it ends with `close`, or with this process, however that ends.
 */
export class EncoderProcess {
  readonly #listeners = new Map<number, ChannelListener>();
  #child: ChildProcessByStdio<Socket, Socket, Socket> | undefined;
  /** Resolves when the process has ended and everyone has been told. */
  #ended: Promise<void> = Promise.resolve();
  #nextChannel = 1;
  #output = "";
  #busy = 0;
  #closed: Promise<void> | undefined;

  /** Number of the process; absent while there is none. */
  get processId(): number | undefined {
    return this.#child?.pid;
  }

  /** Opens a channel; the process starts when there is none. */
  open(listener: ChannelListener): number {
    if (this.#closed !== undefined) {
      throw new DreamloopError(ERROR_CODES.closed, "webcodecs encoder: the backend is closed");
    }
    this.#child ??= this.#start();
    const channel = this.#nextChannel;
    this.#nextChannel += 1;
    this.#listeners.set(channel, listener);
    return channel;
  }

  /** Sends a message; resolves when the payload's memory may be used again. */
  async send(header: MessageHeader, payload: Uint8Array = new Uint8Array(0)): Promise<void> {
    const child = this.#child;
    if (child === undefined) throw this.#failure("its process has ended");
    child.stdin.cork();
    const head = writeToStream(child.stdin, messageHead(header, payload.byteLength));
    const body = payload.byteLength === 0 ? head : writeToStream(child.stdin, payload);
    child.stdin.uncork();
    try {
      await Promise.all([head, body]);
    } catch (cause) {
      // Its end is on the way; until then the next encoder would be sent to a process that no longer reads.
      await this.#ended;
      throw this.#failure("its process has ended", cause);
    }
  }

  /** Ends a channel. */
  async release(channel: number): Promise<void> {
    if (!this.#listeners.delete(channel) || this.#child === undefined) return;
    const message = this.send({ type: MESSAGE_TYPES.close, channel, sequence: 0, flags: 0 });
    // A process that has ended needs no telling.
    await message.catch(() => undefined);
  }

  /** Says that an answer is awaited, which keeps this process alive; call the result when it has come. */
  hold(): () => void {
    this.#busy += 1;
    if (this.#busy === 1) this.#setAlive(true);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#busy -= 1;
      if (this.#busy === 0) this.#setAlive(false);
    };
  }

  /** An `encoder_failed` error with what the library printed last. */
  failure(what: string, cause?: unknown): DreamloopError {
    return this.#failure(what, cause);
  }

  /** Ends the process; idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #start(): ChildProcessByStdio<Socket, Socket, Socket> {
    const child = spawn(process.execPath, processArguments(), {
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    }) as unknown as ChildProcessByStdio<Socket, Socket, Socket>;
    const reader = new MessageReader((header, payload) => {
      const listener = this.#listeners.get(header.channel);
      if (header.type === MESSAGE_TYPES.failed) {
        listener?.onFailure(this.#failure(Buffer.from(payload).toString()));
      } else listener?.onMessage(header, payload);
    });
    child.stdout.on("data", (piece: Uint8Array) => reader.push(piece));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#output = `${this.#output}${text}`.slice(-KEPT_OUTPUT);
    });
    const ended = (what: string, cause?: unknown) => {
      if (this.#child !== child) return;
      this.#child = undefined;
      const error = this.#failure(what, cause);
      for (const listener of [...this.#listeners.values()]) listener.onFailure(error);
      this.#listeners.clear();
    };
    this.#ended = new Promise((resolve) => {
      child.on("error", (cause) => {
        ended("its process could not be started", cause);
        resolve();
      });
      // "close" comes after the last output, which says why.
      child.on("close", (code, signal) => {
        ended(`its process ended with ${signal ?? `exit code ${code ?? "unknown"}`}`);
        resolve();
      });
    });
    child.stdin.on("error", () => undefined);
    this.#child = child;
    this.#setAlive(this.#busy > 0);
    return child;
  }

  async #end(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of listeners) listener.onFailure(this.#failure("the backend was closed"));
    this.#setAliveOf(child, true);
    child.stdin.end();
    const deadline = setTimeout(() => child.kill("SIGKILL"), CLOSE_SECONDS * 1000);
    await this.#ended;
    clearTimeout(deadline);
  }

  #setAlive(isAlive: boolean): void {
    if (this.#child !== undefined) this.#setAliveOf(this.#child, isAlive);
  }

  #setAliveOf(child: ChildProcessByStdio<Socket, Socket, Socket>, isAlive: boolean): void {
    const change = isAlive ? "ref" : "unref";
    child[change]();
    child.stdin[change]();
    child.stdout[change]();
    child.stderr[change]();
  }

  #failure(what: string, cause?: unknown): DreamloopError {
    const printed = lastComplaint(this.#output);
    const detail = printed === undefined ? "" : `; the library says: ${printed}`;
    return new DreamloopError(ERROR_CODES.encoderFailed, `webcodecs encoder: ${what}${detail}`, { cause });
  }
}

/** The last line that is a complaint, without addresses in memory. */
function lastComplaint(output: string): string | undefined {
  const lines = output.split("\n").filter((line) => /error|fail|cannot|could not/i.test(line));
  return lines
    .at(-1)
    ?.replace(/\[[^\]]*@ 0x[0-9a-f]+\]\s*/gi, "")
    .replace(/\[OpenH264\] this = 0x\w+,\s*/, "")
    .trim();
}
