import type { MessagePort } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  type MomentAgo,
  type RealtimeStatus,
  type RewindAnswer,
  type RunReport,
  type RunWarning,
  type UserInputEventInput,
} from "@dreamloop/core";
import { errorFromRecord, type HistoryFacts, type MomentPosition } from "@dreamloop/core/internal";
import { within } from "./end-worker.ts";
import type { MomentExtras } from "../moment/run-from.ts";
import { hostedChunk, type HostedChunk } from "./hosted-chunk.ts";
import type { FromSession, SessionStart, ToSession } from "./messages.ts";
import { errorFromThread } from "./thread-error.ts";

/** What a session tells and how it is started. */
export interface HostedSessionOptions {
  /** How it is started. */
  readonly start?: SessionStart;
  /** Where chunks go when another thread takes them, see `ChunkReceiver`; `onChunk` and `onGeneration` then hear nothing. */
  readonly chunkPort?: MessagePort;
  /** Gets every chunk; without it chunks are released at once. */
  readonly onChunk?: (chunk: HostedChunk) => void;
  /** A reset took effect: what belongs to older generations is void. */
  readonly onGeneration?: (generation: number) => void;
  /** Gets every line of the trace when `start.trace` is set. */
  readonly onTraceLine?: (line: string) => void;
  /** Gets the arrays that are too big for a line, each before the first line that speaks of it; without it only their hashes are kept. */
  readonly onTracePayload?: (address: string, bytes: Uint8Array) => void;
  /** Told about what is odd but does not stop the run. */
  readonly onWarning?: (warning: RunWarning) => void;
  /** Told about events that were refused because of their payload. */
  readonly onRefusedEvents?: (error: DreamloopError) => void;
}

/** A live session in a worker, seen from this thread. Nothing here waits for the model. */
export class HostedSession {
  /** Resolves when the session has started; rejects when it could not. */
  readonly started: Promise<void>;
  /** Resolves when it is over; rejects with what went wrong. */
  readonly done: Promise<RunReport>;
  readonly #port: MessagePort;
  readonly #options: HostedSessionOptions;
  readonly #endSeconds: number;
  readonly #requests = new Map<number, { resolve: (answer: never) => void; reject: (error: unknown) => void }>();
  #requestCount = 0;
  #status: RealtimeStatus | undefined;
  #over = false;
  #markStarted: () => void = () => undefined;
  #markStartFailed: (error: unknown) => void = () => undefined;
  #markDone: (report: RunReport) => void = () => undefined;
  #markFailed: (error: unknown) => void = () => undefined;

  /** Made by `WorldHost.startSession`. A session that has not ended `endSeconds` after `close` is given up. */
  constructor(port: MessagePort, options: HostedSessionOptions, endSeconds: number) {
    this.#endSeconds = endSeconds;
    this.#port = port;
    this.#options = options;
    this.started = new Promise((resolve, reject) => {
      this.#markStarted = resolve;
      this.#markStartFailed = reject;
    });
    this.done = new Promise((resolve, reject) => {
      this.#markDone = resolve;
      this.#markFailed = reject;
    });
    this.started.catch(() => undefined);
    this.done.catch(() => undefined);
    port.on("message", (message: FromSession) => this.#take(message));
    port.on("close", () => this.fail(new DreamloopError(ERROR_CODES.workerFailed, "the session's worker is gone")));
  }

  /** Counters as of the last chunk; absent before it. */
  get status(): RealtimeStatus | undefined {
    return this.#status;
  }

  /** Sends device events; their times are seconds of the process clock. Nothing happens when the session is over. */
  push(events: readonly UserInputEventInput[], options: { readonly sequence?: number } = {}): void {
    this.#post({ type: "events", events, ...(options.sequence === undefined ? {} : { sequence: options.sequence }) });
  }

  /** While paused: runs one step. */
  stepOnce(): void {
    this.#post({ type: "step_once" });
  }

  /** Releases everything that is held, as when a connection is lost; recorded as an event with the source `timeout`. */
  releaseInput(reason: string): void {
    this.#post({ type: "release_input", reason });
  }

  /** Starts the rollout anew at the next boundary; resolves with the new generation. */
  reset(options: { readonly seed?: number } = {}): Promise<number> {
    const seed = options.seed === undefined ? {} : { seed: options.seed };
    return this.#ask("reset", (requestId) => ({ type: "reset", requestId, ...seed }));
  }

  /** Goes back to a moment of the history at the next boundary; resolves with the new generation and the moment. Needs `start.history`. */
  rewind(to: MomentPosition | MomentAgo): Promise<RewindAnswer> {
    return this.#ask("rewind", (requestId) => ({ type: "rewind", requestId, to }));
  }

  /** The moment of the next boundary, or one of the history, as a moment file; the session runs on undisturbed. `isFork` notes it in the trace. */
  moment(
    options: { readonly at?: MomentPosition; readonly isFork?: boolean; readonly extras?: MomentExtras } = {},
  ): Promise<Uint8Array> {
    const { at, isFork = false, extras = {} } = options;
    const place = at === undefined ? {} : { at };
    return this.#ask("moment", (requestId) => ({ type: "moment", requestId, isFork, extras, ...place }));
  }

  /** What the history holds; `undefined` without one. */
  history(): Promise<HistoryFacts | undefined> {
    return this.#ask("history", (requestId) => ({ type: "history", requestId }));
  }

  /**
   * Ends the session at its next step boundary; idempotent; resolves when it is over, also when it failed. A session that the world's code
   * keeps from ending is given up after `stopSeconds` and `closeSeconds` of the host's limits: `done` then rejects with `timed_out`.
   */
  async close(): Promise<void> {
    this.#post({ type: "close" });
    if (await within(this.done, this.#endSeconds)) return;
    const message = `the session did not end within ${this.#endSeconds} s of being closed: the world's code does not return`;
    this.fail(new DreamloopError(ERROR_CODES.timedOut, message));
  }

  /** Ends this side when the worker is gone. */
  fail(error: DreamloopError): void {
    if (this.#over) return;
    this.#over = true;
    this.#markStartFailed(error);
    this.#markFailed(error);
    this.#settleRequests(error);
    this.#port.close();
  }

  #take(message: FromSession): void {
    switch (message.type) {
      case "started":
        this.#markStarted();
        break;
      case "chunk":
        this.#takeChunk(message);
        break;
      case "generation":
        this.#options.onGeneration?.(message.generation);
        break;
      case "reset_done":
        this.#settle(message.requestId, message.generation);
        break;
      case "rewind_done":
        this.#settle(message.requestId, message.answer);
        break;
      case "moment_done":
        this.#settle(message.requestId, message.bytes);
        break;
      case "history_done":
        this.#settle(message.requestId, message.facts);
        break;
      case "request_failed":
        this.#requests.get(message.requestId)?.reject(errorFromRecord(message.error));
        this.#requests.delete(message.requestId);
        break;
      case "refused_events":
        this.#options.onRefusedEvents?.(errorFromRecord(message.error));
        break;
      case "status":
        this.#status = message.status;
        break;
      case "trace":
        this.#options.onTraceLine?.(message.line);
        break;
      case "trace_payload":
        this.#options.onTracePayload?.(message.address, message.bytes);
        break;
      case "warning":
        this.#options.onWarning?.(message.warning);
        break;
      case "ended":
        this.#over = true;
        this.#markStarted();
        this.#markDone(message.report);
        this.#settleRequests(new DreamloopError(ERROR_CODES.closed, "the session has ended"));
        break;
      case "failed":
        this.fail(errorFromThread(message.error));
        break;
    }
  }

  #takeChunk(message: Extract<FromSession, { type: "chunk" }>): void {
    this.#status = message.status;
    const chunk = hostedChunk(message, (pixels) => {
      if (!this.#over) this.#port.postMessage({ type: "chunk_done", pixels } satisfies ToSession, [pixels]);
    });
    if (this.#options.onChunk === undefined) chunk.release();
    else this.#options.onChunk(chunk);
  }

  #ask<T>(what: string, message: (requestId: number) => ToSession): Promise<T> {
    if (this.#over) {
      return Promise.reject(new DreamloopError(ERROR_CODES.closed, `HostedSession.${what}: the session has ended`));
    }
    this.#requestCount += 1;
    const requestId = this.#requestCount;
    return new Promise<T>((resolve, reject) => {
      this.#requests.set(requestId, { resolve, reject });
      this.#post(message(requestId));
    });
  }

  #settle(requestId: number, answer: unknown): void {
    this.#requests.get(requestId)?.resolve(answer as never);
    this.#requests.delete(requestId);
  }

  #settleRequests(error: DreamloopError): void {
    for (const request of this.#requests.values()) request.reject(error);
    this.#requests.clear();
  }

  #post(message: ToSession): void {
    if (!this.#over) this.#port.postMessage(message);
  }
}
