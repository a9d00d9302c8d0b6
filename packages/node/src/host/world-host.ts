import { createRequire } from "node:module";
import { MessageChannel, Worker } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  type InferenceConfigInput,
  type LoadProgress,
  refuseUnknownKeys,
  type SessionDescription,
  sessionDescription,
} from "@dreamloop/core";
import { endWorker, within, type EndableWorker } from "./end-worker.ts";
import { HostedSession, type HostedSessionOptions } from "./hosted-session.ts";
import type { FromWorker, ToWorker, WorkerStart, WorldInfo } from "./messages.ts";
import { sessionStart } from "./session-start.ts";
import { errorFromThread } from "./thread-error.ts";
import { ThreadMarks } from "./thread-marks.ts";
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
  /** Told about the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Cancels the load; what was loaded is freed. */
  readonly signal?: AbortSignal;
}

const LOAD_OPTIONS: readonly string[] = [
  "reference",
  "config",
  "candidateIndex",
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
  readonly #sessions = new Set<HostedSession>();
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;
  #sessionCount = 0;

  private constructor(thread: EndableWorker, info: WorldInfo) {
    const { worker } = thread;
    this.#worker = worker;
    this.#thread = thread;
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
    const start: Omit<WorkerStart, "marks"> = {
      reference: worldReference(options.reference),
      config: options.config ?? {},
      candidateIndex: options.candidateIndex ?? 0,
    };
    const marks = new ThreadMarks();
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
      const info = await loaded(worker, onProgress);
      signal?.throwIfAborted();
      return new WorldHost(thread, info);
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
    const session = new HostedSession(port1, options);
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

  async #end(): Promise<void> {
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
    if (this.#closing === undefined) this.#failure ??= error;
    for (const session of this.#sessions) session.fail(error);
    this.#sessions.clear();
  }
}

function loaded(worker: Worker, onProgress: ((progress: LoadProgress) => void) | undefined): Promise<WorldInfo> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
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
    worker.on("message", take);
    worker.on("error", fail);
    worker.on("exit", exit);
  });
}
