import {
  DreamloopError,
  ERROR_CODES,
  isDreamloopError,
  throwIfCancelled,
  type InferenceRuntime,
  type InferenceSession,
  type Json,
  type LoadProgress,
  type ModelInputs,
  type SessionDescription,
  type StartSessionOptions,
} from "@dreamloop/core";
import type { PoolWorker } from "./pool-worker.ts";

/** How one worker of a pool is started. */
export interface StartWorkerOptions {
  /** Cancels the start. */
  readonly signal: AbortSignal;
  /** Told how far it is. */
  readonly onProgress: (progress: LoadProgress) => void;
}

/** What a pool is made of. */
export interface PooledRuntimeOptions {
  /** How errors name the world. */
  readonly label: string;
  /** How many workers there are, at least 1. */
  readonly workers: number;
  /** Starts the worker with this index. */
  readonly startWorker: (index: number, options: StartWorkerOptions) => Promise<PoolWorker>;
  /** What each worker runs on, for the facts; absent: it is not known. */
  readonly devices?: readonly string[];
  /** Cancels the load. */
  readonly signal?: AbortSignal;
  /** Told about the load of all workers together. */
  readonly onProgress?: (progress: LoadProgress) => void;
}

/**
 * Several workers of one world behind one runtime. A session is placed on the least loaded worker and stays there. A worker that dies ends its own
 * sessions and is started again; sessions that start meanwhile are placed on the others. `close` ends all workers.
 */
export class PooledRuntime implements InferenceRuntime {
  /** How many sessions may be open at a time, on all workers together. */
  readonly maxSessions: number;
  /** Whether its steps wait for the wall clock themselves. */
  readonly ownsPacing: boolean;
  readonly #options: PooledRuntimeOptions;
  readonly #workers: readonly PoolWorker[];
  #closing: Promise<void> | undefined;

  private constructor(options: PooledRuntimeOptions, workers: readonly PoolWorker[]) {
    this.#options = options;
    this.#workers = workers;
    this.maxSessions = workers.reduce((sum, worker) => sum + placesOf(worker), 0);
    this.ownsPacing = workers.some((worker) => worker.ownsPacing === true);
  }

  /** Starts all workers at the same time. When one cannot be started, the others are ended and its error is thrown. */
  static async start(options: PooledRuntimeOptions): Promise<PooledRuntime> {
    const { workers: count, startWorker, signal, onProgress, label } = options;
    throwIfCancelled(signal, `${label}: the load`);
    const cancel = new AbortController();
    const abort = (): void => cancel.abort(signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    const progress = new PoolProgress(count, onProgress);
    let first: unknown;
    const started = await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        try {
          return await startWorker(index, { signal: cancel.signal, onProgress: (told) => progress.take(index, told) });
        } catch (error) {
          first ??= error;
          cancel.abort();
          return undefined;
        }
      }),
    );
    signal?.removeEventListener("abort", abort);
    const workers = started.filter((worker) => worker !== undefined);
    if (workers.length === count && !cancel.signal.aborted) return new PooledRuntime(options, workers);
    await Promise.allSettled(workers.map(async (worker) => worker.close()));
    throwIfCancelled(signal, `${label}: the load`);
    throw first;
  }

  /** What its sessions deliver. */
  describe(): SessionDescription {
    return this.#workers[0].describe();
  }

  /** What the workers say of themselves, which is the same for all, how many they are, and their devices. */
  facts(): { readonly [key: string]: Json } {
    const { devices = [] } = this.#options;
    return {
      ...this.#workers[0].facts?.(),
      workers: this.#workers.length,
      ...(devices.length === 0 ? {} : { devices: [...devices] }),
    };
  }

  /** Sessions of each worker, open or being started. */
  get sessionCounts(): readonly number[] {
    return this.#workers.map(({ sessionCount }) => sessionCount);
  }

  /**
   * Starts a session on the least loaded worker that is ready, else on one that is being started again. Throws `busy` when all places are taken, and why the
   * workers were given up when none is left.
   */
  async startSession(inputs: ModelInputs, options: StartSessionOptions): Promise<InferenceSession> {
    const tried = new Set<PoolWorker>();
    let lost: unknown;
    while (true) {
      this.#requireOpen();
      const worker = this.#place(tried);
      if (worker === undefined) throw (lost as Error | undefined) ?? this.#whyNone();
      try {
        return await worker.startSession(inputs, options);
      } catch (error) {
        // It died under the start, which has not happened: the next one takes it.
        const isLost = isDreamloopError(error, ERROR_CODES.workerFailed) && !worker.isReady;
        if (!isLost || options.signal?.aborted) throw error;
        lost = error;
        tried.add(worker);
      }
    }
  }

  /** Ends all workers; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const results = await Promise.allSettled(this.#workers.map(async (worker) => worker.close()));
    const failed = results.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #place(tried: ReadonlySet<PoolWorker>): PoolWorker | undefined {
    const open = this.#workers.filter(
      (worker) => !tried.has(worker) && worker.failure === undefined && worker.sessionCount < placesOf(worker),
    );
    const ready = open.filter(({ isReady }) => isReady);
    return leastLoaded(ready) ?? leastLoaded(open);
  }

  #whyNone(): DreamloopError {
    const { label } = this.#options;
    const failures = this.#workers.map(({ failure }) => failure).filter((failure) => failure !== undefined);
    if (failures[0] !== undefined && failures.length === this.#workers.length) {
      const message = `${label}: none of its ${failures.length} workers runs any longer; the first: ${failures[0].message}`;
      return new DreamloopError(ERROR_CODES.workerFailed, message, { cause: failures[0] });
    }
    const message = `${label}: all ${this.maxSessions} places for sessions on ${this.#workers.length} workers are taken; close one, or raise resourceHints.workers`;
    return new DreamloopError(ERROR_CODES.busy, message, { retryable: true });
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(ERROR_CODES.closed, `${this.#options.label}: the runtime is closed; create another`);
  }
}

function placesOf(worker: PoolWorker): number {
  return worker.maxSessions ?? 1;
}

function leastLoaded(workers: readonly PoolWorker[]): PoolWorker | undefined {
  let least: PoolWorker | undefined;
  for (const worker of workers) if (least === undefined || worker.sessionCount < least.sessionCount) least = worker;
  return least;
}

/** The progress of several loads as one: the stage reported last, and the mean of their fractions. */
class PoolProgress {
  readonly #fractions: number[];
  readonly #onProgress: ((progress: LoadProgress) => void) | undefined;

  constructor(count: number, onProgress: ((progress: LoadProgress) => void) | undefined) {
    this.#fractions = Array.from({ length: count }, () => 0);
    this.#onProgress = onProgress;
  }

  take(index: number, { stage, fraction }: LoadProgress): void {
    if (fraction === undefined) {
      this.#onProgress?.({ stage });
      return;
    }
    this.#fractions[index] = fraction;
    const mean = this.#fractions.reduce((sum, each) => sum + each, 0) / this.#fractions.length;
    this.#onProgress?.({ stage, fraction: mean });
  }
}
