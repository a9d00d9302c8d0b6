import { createRequire } from "node:module";
import { MessageChannel, Worker } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  type InferenceConfigInput,
  type LoadProgress,
  type SessionDescription,
  sessionDescription,
} from "@dreamloop/core";
import type { WaitLimits } from "@dreamloop/core";
import { readWaitLimits, refuseUnknownKeys, waitLimitsOf } from "@dreamloop/core/internal";
import { MAX_TIMER_MS } from "../process-clock.ts";
import { endWorker, within, type EndableWorker } from "./end-worker.ts";
import { HostedSession, type HostedSessionOptions } from "./hosted-session.ts";
import type { FromWorker, ToWorker, WorkerStart, WorldInfo } from "./messages.ts";
import { shareDeviceLock } from "./share-device-lock.ts";
import { sessionStart } from "./session-start.ts";
import { errorFromThread } from "./thread-error.ts";
import { ThreadMarks } from "./thread-marks.ts";
import { ThreadWatch } from "./thread-watch.ts";
import { worldReference, type WorldReferenceInput } from "./world-reference.ts";

/** Seconds that a worker gets to end its sessions and itself before it is terminated. */
export const WORKER_END_SECONDS = 5;

/** Seconds that a cancelled load gets to end by itself. */
const CANCELLED_LOAD_SECONDS = 0.25;

/** Seconds after which a closed world is left to itself when its thread is held by a call into native code, which cannot be broken off. */
const NATIVE_CALL_SECONDS = 60;

/** How long messages of a thread that has ended are waited for. */
const LAST_WORDS_SECONDS = 1;

/** How a world is loaded into a worker. */
export interface LoadWorldOptions {
  /** Where the adapter comes from. */
  readonly reference: WorldReferenceInput;
  /** How the model runs; default the adapter's defaults. */
  readonly config?: Partial<InferenceConfigInput>;
  /** Which candidate of `config.model` runs; default the first. */
  readonly candidateIndex?: number;
  /** How long the world's code is waited for; default what `config.resourceHints` says, else `DEFAULT_WAIT_LIMITS`. A thread that is held for longer than `stepSeconds` ends with all its sessions. */
  readonly waits?: Partial<WaitLimits>;
  /** Told about the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Cancels the load; what was loaded is freed. */
  readonly signal?: AbortSignal;
}

const LOAD_OPTIONS: readonly string[] = [
  "reference",
  "config",
  "candidateIndex",
  "waits",
  "onProgress",
  "signal",
] satisfies readonly (keyof LoadWorldOptions)[];

/**
 * A world in a worker thread of its own: driver, converters, mapping and model of all its sessions run there, so that a step never
 * blocks this thread. `close` ends the sessions, the runtime and the thread.
 */
export class WorldHost {
  /** What is known of the world. */
  readonly info: WorldInfo;
  /** What its sessions deliver. */
  readonly description: SessionDescription;
  readonly #worker: Worker;
  readonly #thread: EndableWorker;
  readonly #limits: WaitLimits;
  readonly #watch: ThreadWatch;
  readonly #sessions = new Set<HostedSession>();
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;
  #sessionCount = 0;

  private constructor(thread: EndableWorker, info: WorldInfo, limits: WaitLimits) {
    const { worker } = thread;
    this.#worker = worker;
    this.#thread = thread;
    this.#limits = limits;
    this.#watch = new ThreadWatch(
      thread.marks,
      () => limits.stepSeconds,
      (seconds) => this.#giveUp(seconds),
    );
    this.info = info;
    this.description = sessionDescription(info.session);
    worker.on("error", (error) =>
      this.#fail(
        new DreamloopError(
          ERROR_CODES.workerFailed,
          `the worker of ${JSON.stringify(info.modelId)} failed: ${error.message}`,
          { cause: error },
        ),
      ),
    );
    worker.on("exit", (code) => {
      if (this.#closing === undefined)
        this.#fail(
          new DreamloopError(
            ERROR_CODES.workerFailed,
            `the worker of ${JSON.stringify(info.modelId)} ended with code ${code}`,
          ),
        );
    });
  }

  /**
   * Loads a world; throws what went wrong, `cancelled` when `signal` fired. It rejects when the thread has ended and its memory is free: at
   * once after a cancellation, whatever holds the thread once it has imported its modules, unless that is a call into native code, which has to return first.
   */
  static async load(options: LoadWorldOptions): Promise<WorldHost> {
    refuseUnknownKeys(options, LOAD_OPTIONS, "LoadWorldOptions");
    const { signal, onProgress } = options;
    if (signal?.aborted)
      throw new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled", { cause: signal.reason });
    const limits = readWaitLimits(
      { ...waitLimitsOf(options.config?.resourceHints), ...options.waits },
      "LoadWorldOptions.waits",
    );
    const start: Omit<WorkerStart, "marks"> = {
      waits: limits,
      reference: worldReference(options.reference),
      config: options.config ?? {},
      candidateIndex: options.candidateIndex ?? 0,
    };
    const marks = new ThreadMarks();
    shareDeviceLock();
    const worker = new Worker(createRequire(import.meta.url).resolve("@dreamloop/node/worker"), {
      workerData: { ...structuredClone(start), marks: marks.memory } satisfies WorkerStart,
    });
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const imported = new Promise<void>((resolve) => {
      worker.on("message", ({ type }: FromWorker) => {
        if (type === "imported") resolve();
      });
    });
    const thread = { worker, ended, imported, marks };
    const cancel = (): void => {
      worker.postMessage({ type: "cancel_load" } satisfies ToWorker);
      void endWorker(thread, CANCELLED_LOAD_SECONDS);
    };
    signal?.addEventListener("abort", cancel, { once: true });
    try {
      const info = await loaded(worker, onProgress, limits.loadSeconds);
      signal?.throwIfAborted();
      return new WorldHost(thread, info, limits);
    } catch (error) {
      await endWorker(thread, CANCELLED_LOAD_SECONDS);
      if (signal?.aborted) throw new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled", { cause: error });
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Sessions that run. */
  get sessionCount(): number {
    return this.#sessions.size;
  }

  /** Why the worker failed; absent while it is well. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /** Starts a session. Throws `closed` or `worker_failed`, and refuses wrong values in `options.start`; what goes wrong in the session rejects its `started` and `done`. */
  startSession(options: HostedSessionOptions = {}): HostedSession {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#closing !== undefined)
      throw new DreamloopError(ERROR_CODES.closed, "WorldHost.startSession: the world is closed");
    const { port1, port2 } = new MessageChannel();
    this.#sessionCount += 1;
    const message: ToWorker = {
      type: "start_session",
      sessionId: `${this.#sessionCount}`,
      start: structuredClone({ ...sessionStart(options.start ?? {}) }),
      port: port2,
      ...(options.chunkPort === undefined ? {} : { chunkPort: options.chunkPort }),
    };
    const { stopSeconds, closeSeconds } = this.#limits;
    const session = new HostedSession(port1, options, stopSeconds + closeSeconds);
    this.#sessions.add(session);
    void session.done.then(
      () => this.#sessions.delete(session),
      () => this.#sessions.delete(session),
    );
    this.#worker.postMessage(message, options.chunkPort === undefined ? [port2] : [port2, options.chunkPort]);
    return session;
  }

  /** Ends everything; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The thread is held by a call of the world's code that does not return: its sessions end, and the thread as soon as it can. */
  #giveUp(silentSeconds: number): void {
    if (this.#closing !== undefined) return;
    this.#fail(
      new DreamloopError(
        ERROR_CODES.workerFailed,
        `the world ${JSON.stringify(this.info.modelId)} has not answered for ${silentSeconds} s: a call of its code does not return; its sessions have ended`,
      ),
    );
    void endWorker(this.#thread, 0);
    this.#worker.unref();
  }

  async #end(): Promise<void> {
    this.#watch.close();
    if (this.#failure === undefined) this.#worker.postMessage({ type: "close" } satisfies ToWorker);
    const hasEnded = await within(endWorker(this.#thread, WORKER_END_SECONDS), NATIVE_CALL_SECONDS);
    if (!hasEnded) this.#worker.unref();
    await this.#lastWords();
    this.#fail(new DreamloopError(ERROR_CODES.closed, "the world was closed"));
  }

  /** What sessions said before the thread ended may still be on its way; their ports close after it has arrived. */
  async #lastWords(): Promise<void> {
    await within(Promise.allSettled([...this.#sessions].map(({ done }) => done)), LAST_WORDS_SECONDS);
  }

  #fail(error: DreamloopError): void {
    this.#watch.close();
    if (this.#closing === undefined) this.#failure ??= error;
    for (const session of this.#sessions) session.fail(error);
    this.#sessions.clear();
  }
}

function loaded(
  worker: Worker,
  onProgress: ((progress: LoadProgress) => void) | undefined,
  limitSeconds: number,
): Promise<WorldInfo> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(limit);
      worker.off("message", take);
      worker.off("error", fail);
      worker.off("exit", exit);
    };
    const take = (message: FromWorker): void => {
      if (message.type === "progress") onProgress?.(message.progress);
      if (message.type === "progress" || message.type === "imported") return;
      settle();
      if (message.type === "loaded") resolve(message.info);
      else
        reject(
          message.type === "load_failed"
            ? errorFromThread(message.error)
            : new DreamloopError(ERROR_CODES.closed, "the worker closed while it loaded"),
        );
    };
    const fail = (error: Error): void => {
      settle();
      reject(
        new DreamloopError(ERROR_CODES.workerFailed, `the worker failed while it loaded: ${error.message}`, {
          cause: error,
        }),
      );
    };
    const exit = (code: number): void => {
      settle();
      reject(new DreamloopError(ERROR_CODES.workerFailed, `the worker ended with code ${code} while it loaded`));
    };
    const limit = setTimeout(
      () => {
        settle();
        const message = `the world did not load within ${limitSeconds} s; raise resourceHints.loadSeconds (waits.loadSeconds in a program) if it needs longer`;
        reject(new DreamloopError(ERROR_CODES.timedOut, message));
      },
      Math.min(limitSeconds * 1000, MAX_TIMER_MS),
    );
    worker.on("message", take);
    worker.on("error", fail);
    worker.on("exit", exit);
  });
}
