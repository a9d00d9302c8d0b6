import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  throwIfCancelled,
  type InferenceConfig,
  type LoadProgress,
  type WaitLimits,
} from "@dreamloop/core";
import { readWaitLimits, waitLimitsOf } from "@dreamloop/core/internal";
import { endWorker, within, type EndableWorker } from "../../host/end-worker.ts";
import { shareDeviceLock } from "../../host/share-device-lock.ts";
import { errorFromThread } from "../../host/thread-error.ts";
import { ThreadMarks } from "../../host/thread-marks.ts";
import { ThreadWatch } from "../../host/thread-watch.ts";
import type { WorldReferenceInput } from "../../host/world-reference.ts";
import { MAX_TIMER_MS } from "../../process-clock.ts";
import type {
  FromRuntimeThread,
  RuntimeThreadInfo,
  RuntimeThreadStart,
  SessionAnswer,
  SessionCall,
  ToRuntimeThread,
} from "./thread-messages.ts";

/** How the thread of a runtime is started. */
export interface StartRuntimeThreadOptions {
  /** The world to load. */
  readonly reference: WorldReferenceInput;
  /** How it runs. */
  readonly config: InferenceConfig;
  /** Cancels the load. */
  readonly signal: AbortSignal;
  /** Told about the load. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** Seconds that a cancelled load gets to end by itself. */
const CANCELLED_LOAD_SECONDS = 0.25;

/** Seconds that a thread gets to end its sessions and itself. */
const END_SECONDS = 5;

/** Seconds after which a thread is left to itself when a call into native code holds it. */
const NATIVE_CALL_SECONDS = 60;

interface Pending {
  readonly resolve: (answer: SessionAnswer) => void;
  readonly reject: (error: DreamloopError) => void;
}

/** A loaded runtime in a thread of its own, seen from outside: calls and their answers. Who started it closes it. */
export class RuntimeThread {
  /** What it says of itself. */
  readonly info: RuntimeThreadInfo;
  /** Resolves with the reason when the thread is gone without having been closed. */
  readonly failed: Promise<DreamloopError>;
  readonly #thread: EndableWorker;
  readonly #watch: ThreadWatch;
  readonly #label: string;
  readonly #limits: WaitLimits;
  readonly #pending = new Map<number, Pending>();
  #tellFailure: (error: DreamloopError) => void = () => undefined;
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;
  #callCount = 0;

  private constructor(thread: EndableWorker, info: RuntimeThreadInfo, label: string, limits: WaitLimits) {
    this.#thread = thread;
    this.#label = label;
    this.#limits = limits;
    this.info = info;
    this.failed = new Promise((resolve) => (this.#tellFailure = resolve));
    const { worker, marks } = thread;
    worker.on("message", (message: FromRuntimeThread) => this.#take(message));
    worker.on("error", (error) => this.#fail(`failed: ${error.message}`, error));
    worker.on("exit", (code) => this.#fail(`ended with code ${code}`));
    this.#watch = new ThreadWatch(
      marks,
      () => limits.stepSeconds,
      (seconds) => {
        this.#fail(`has not answered for ${seconds} s: a call of the world's code does not return`);
        void endWorker(thread, 0);
        worker.unref();
      },
    );
  }

  /** Loads a world in a new thread; throws what went wrong, `cancelled` when `signal` fired. When it throws, the thread has ended. */
  static async start({ reference, config, signal, onProgress }: StartRuntimeThreadOptions): Promise<RuntimeThread> {
    const label = JSON.stringify(config.modelId);
    throwIfCancelled(signal, `${label}: the load`);
    const limits = readWaitLimits(waitLimitsOf(config.resourceHints), "InferenceConfig.resourceHints");
    const marks = new ThreadMarks();
    const given = structuredClone({ reference, config: { ...config } }) as Omit<RuntimeThreadStart, "marks">;
    shareDeviceLock();
    const worker = new Worker(createRequire(import.meta.url).resolve("@dreamloop/node/pool-worker"), {
      workerData: { ...given, marks: marks.memory } satisfies RuntimeThreadStart,
    });
    const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    const imported = new Promise<void>((resolve) => {
      worker.on("message", ({ type }: FromRuntimeThread) => {
        if (type === "imported") resolve();
      });
    });
    const thread = { worker, ended, imported, marks };
    const cancel = (): void => {
      worker.postMessage({ type: "cancel_load" } satisfies ToRuntimeThread);
      void endWorker(thread, CANCELLED_LOAD_SECONDS);
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const info = await loaded(worker, label, limits.loadSeconds, onProgress);
      throwIfCancelled(signal, `${label}: the load`);
      return new RuntimeThread(thread, info, label, limits);
    } catch (error) {
      await endWorker(thread, CANCELLED_LOAD_SECONDS);
      throwIfCancelled(signal, `${label}: the load`);
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  /** Why nothing can be asked any more; absent while all is well. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /**
   * Asks a session for something; throws what the world throws, `worker_failed` when the thread is gone. The start and the end of a session have an end, since
   * they hold its place: they throw `timed_out` after `loadSeconds` and `closeSeconds`, and a start that is cancelled throws `cancelled` at once. A session
   * that starts later all the same is closed in the thread.
   */
  call(session: number, call: SessionCall, signal?: AbortSignal): Promise<SessionAnswer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.#callCount += 1;
    const id = this.#callCount;
    return new Promise((resolve, reject) => {
      const leave = (error: DreamloopError): void => {
        this.#post({ type: "abort", id });
        settle();
        reject(error);
      };
      const abort = (): void => {
        if (call.method !== "open") this.#post({ type: "abort", id });
        else
          leave(
            new DreamloopError(ERROR_CODES.cancelled, "the start of a session was cancelled", {
              cause: signal?.reason,
            }),
          );
      };
      const limit = this.#limitOf(call, leave);
      const settle = (): void => {
        clearTimeout(limit);
        signal?.removeEventListener("abort", abort);
        this.#pending.delete(id);
      };
      this.#pending.set(id, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      signal?.addEventListener("abort", abort, { once: true });
      this.#post({ type: "call", id, session, call });
      if (signal?.aborted) abort();
    });
  }

  /** Ends the sessions, the runtime and the thread; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#watch.close();
    if (this.#failure === undefined) this.#post({ type: "close" });
    const hasEnded = await within(endWorker(this.#thread, END_SECONDS), NATIVE_CALL_SECONDS);
    if (!hasEnded) this.#thread.worker.unref();
    this.#end(new DreamloopError(ERROR_CODES.closed, `${this.#label}: the worker was closed`));
  }

  /** The end of a call that holds a session's place; the others are the caller's to end. */
  #limitOf({ method }: SessionCall, leave: (error: DreamloopError) => void): NodeJS.Timeout | undefined {
    if (method !== "open" && method !== "close") return undefined;
    const { loadSeconds, closeSeconds } = this.#limits;
    const [what, name, seconds] =
      method === "open"
        ? (["the start of a session", "loadSeconds", loadSeconds] as const)
        : (["the end of a session", "closeSeconds", closeSeconds] as const);
    const message = `${this.#label}: ${what} did not come to an end within ${seconds} s; raise resourceHints.${name} if it needs longer`;
    return setTimeout(
      () => leave(new DreamloopError(ERROR_CODES.timedOut, message)),
      Math.min(seconds * 1000, MAX_TIMER_MS),
    );
  }

  #post(message: ToRuntimeThread): void {
    this.#thread.worker.postMessage(message);
  }

  #take(message: FromRuntimeThread): void {
    if (message.type === "answer") this.#pending.get(message.id)?.resolve(message.answer);
    if (message.type === "refused") this.#pending.get(message.id)?.reject(errorFromThread(message.error));
  }

  #fail(what: string, cause?: Error): void {
    if (this.#failure !== undefined || this.#closing !== undefined) return;
    const message = `a worker of ${this.#label} ${what}; its sessions have ended, those of the other workers continue`;
    const error = new DreamloopError(ERROR_CODES.workerFailed, message, {
      retryable: true,
      ...(cause === undefined ? {} : { cause }),
    });
    this.#end(error);
    this.#tellFailure(error);
  }

  #end(error: DreamloopError): void {
    this.#watch.close();
    this.#failure ??= error;
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }
}

function loaded(
  worker: Worker,
  label: string,
  limitSeconds: number,
  onProgress: ((progress: LoadProgress) => void) | undefined,
): Promise<RuntimeThreadInfo> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(limit);
      worker.off("message", take).off("error", fail).off("exit", exit);
    };
    const refuse = (error: DreamloopError): void => {
      settle();
      reject(error);
    };
    const take = (message: FromRuntimeThread): void => {
      if (message.type === "progress") onProgress?.(message.progress);
      if (message.type === "load_failed") refuse(errorFromThread(message.error));
      if (message.type !== "loaded") return;
      settle();
      resolve(message.info);
    };
    const failure = (what: string, cause?: Error): DreamloopError =>
      new DreamloopError(ERROR_CODES.workerFailed, `a worker of ${label} ${what} while it loaded`, {
        ...(cause === undefined ? {} : { cause }),
      });
    const fail = (error: Error): void => refuse(failure(`failed (${error.message})`, error));
    const exit = (code: number): void => refuse(failure(`ended with code ${code}`));
    const late = `a worker of ${label} did not load within ${limitSeconds} s; raise resourceHints.loadSeconds if it needs longer`;
    const limit = setTimeout(
      () => refuse(new DreamloopError(ERROR_CODES.timedOut, late)),
      Math.min(limitSeconds * 1000, MAX_TIMER_MS),
    );
    worker.on("message", take).on("error", fail).on("exit", exit);
  });
}
