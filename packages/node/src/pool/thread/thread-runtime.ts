import { setTimeout as delay } from "node:timers/promises";
import {
  DreamloopError,
  ERROR_CODES,
  sessionDescription,
  throwIfCancelled,
  type Json,
  type ModelInputs,
  type SessionDescription,
  type StartSessionOptions,
} from "@dreamloop/core";
import type { PoolWorker } from "../pool-worker.ts";
import { RestartPauses } from "../restart-pauses.ts";
import { RuntimeThread, type StartRuntimeThreadOptions } from "./runtime-thread.ts";
import { ThreadSession } from "./thread-session.ts";

/** How a worker of a pool in a thread is started. */
export interface StartThreadRuntimeOptions extends StartRuntimeThreadOptions {
  /** Seconds before each restart in a row; default those of `RestartPauses`. */
  readonly restartSeconds?: readonly number[];
}

/** A runtime in a thread of its own, loaded anew when the thread dies: the sessions that it had are lost, later ones run. */
export class ThreadRuntime implements PoolWorker {
  readonly #options: StartThreadRuntimeOptions;
  readonly #pauses: RestartPauses;
  readonly #ending = new AbortController();
  readonly #description: SessionDescription;
  readonly #info: RuntimeThread["info"];
  #thread: RuntimeThread | undefined;
  #restarting: Promise<RuntimeThread> | undefined;
  #failure: DreamloopError | undefined;
  #closing: Promise<void> | undefined;
  #sessions = 0;
  #sessionCount = 0;

  private constructor(options: StartThreadRuntimeOptions, thread: RuntimeThread) {
    this.#options = options;
    this.#pauses = new RestartPauses(options.restartSeconds);
    this.#info = thread.info;
    this.#description = sessionDescription(thread.info.description);
    this.#adopt(thread);
  }

  /** Loads the world for the first time. */
  static async start(options: StartThreadRuntimeOptions): Promise<ThreadRuntime> {
    return new ThreadRuntime(options, await RuntimeThread.start(options));
  }

  /** Sessions that may be open at a time. */
  get maxSessions(): number {
    return this.#info.maxSessions;
  }

  /** Whether its steps wait for the wall clock themselves. */
  get ownsPacing(): boolean {
    return this.#info.ownsPacing;
  }

  /** Sessions that are open or being started. */
  get sessionCount(): number {
    return this.#sessions;
  }

  /** Whether a session can start at once. */
  get isReady(): boolean {
    return this.#thread !== undefined;
  }

  /** Why it has been given up. */
  get failure(): DreamloopError | undefined {
    return this.#failure;
  }

  /** What its sessions deliver. */
  describe(): SessionDescription {
    return this.#description;
  }

  /** What the runtime says of itself. */
  facts(): { readonly [key: string]: Json } {
    return this.#info.facts;
  }

  /** Starts a rollout; waits for a thread that is being started again. */
  async startSession(inputs: ModelInputs, { seed, signal }: StartSessionOptions): Promise<ThreadSession> {
    if (this.#failure !== undefined) throw this.#failure;
    this.#sessions += 1;
    let isCounted = true;
    const onClose = (): void => {
      if (isCounted) this.#sessions -= 1;
      isCounted = false;
    };
    try {
      const thread = this.#thread ?? (await this.#restarted());
      this.#sessionCount += 1;
      const options = { thread, session: this.#sessionCount, onStep: () => this.#pauses.succeeded(), onClose };
      return await ThreadSession.open(options, inputs, { seed, ...(signal === undefined ? {} : { signal }) });
    } catch (error) {
      onClose();
      throw error;
    }
  }

  /** Ends the thread; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled([this.#restarting]);
    await this.#thread?.close();
  }

  #adopt(thread: RuntimeThread): void {
    this.#thread = thread;
    void thread.failed.then((error) => this.#lost(thread, error));
  }

  #lost(thread: RuntimeThread, error: DreamloopError): void {
    if (this.#thread !== thread || this.#closing !== undefined) return;
    this.#thread = undefined;
    const { restarts } = this.#pauses;
    const seconds = this.#pauses.next();
    if (seconds === undefined) {
      const message = `${JSON.stringify(this.#options.config.modelId)}: a worker ended ${restarts + 1} times in a row and is not started again; the last time: ${error.message}`;
      this.#failure = new DreamloopError(ERROR_CODES.workerFailed, message, { cause: error });
      return;
    }
    this.#restarted(thread, seconds).catch(() => undefined);
  }

  /** The thread that is being started again; when that fails, the next session tries again and hears what is wrong then. */
  #restarted(before?: RuntimeThread, seconds = 0): Promise<RuntimeThread> {
    this.#restarting ??= this.#restart(before, seconds).finally(() => {
      this.#restarting = undefined;
    });
    return this.#restarting;
  }

  async #restart(before: RuntimeThread | undefined, seconds: number): Promise<RuntimeThread> {
    const { signal } = this.#ending;
    await before?.close();
    // Cut short by the end of the runtime, which the next line is about.
    await delay(seconds * 1000, undefined, { signal }).catch(() => undefined);
    throwIfCancelled(signal, "the restart of a worker");
    const thread = await RuntimeThread.start({ ...this.#options, signal, onProgress: () => undefined });
    this.#adopt(thread);
    return thread;
  }
}
