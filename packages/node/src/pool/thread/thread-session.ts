import {
  DreamloopError,
  ERROR_CODES,
  modelInputs,
  throwIfCancelled,
  type InferenceSession,
  type ModelInputs,
  type ModelInputsInput,
  type ResetOptions,
  type RestoreOptions,
  type SessionSnapshot,
  type StepOptions,
  type StepRequestInput,
  type StepResultInput,
} from "@dreamloop/core";
import { plainData } from "./plain-data.ts";
import type { RuntimeThread } from "./runtime-thread.ts";
import type { SessionAnswer } from "./thread-messages.ts";

/** What a session in a thread is made of. */
export interface ThreadSessionOptions {
  /** The thread that it stays in. */
  readonly thread: RuntimeThread;
  /** Its number there. */
  readonly session: number;
  /** Called when a step has succeeded. */
  readonly onStep: () => void;
  /** Called once when it is closed. */
  readonly onClose: () => void;
}

/** A session in the thread of a pool's worker. It has the optional methods that the session in the thread has. */
export class ThreadSession implements InferenceSession {
  /** Completes the step just returned; absent where the world has no such part. */
  finalizeStep?: (options: StepOptions) => Promise<void>;
  /** Takes the step just returned back; absent where the world cannot. */
  discardStep?: () => void;
  /** The complete state at this step boundary; absent where the world has no snapshots. */
  snapshot?: () => Promise<SessionSnapshot>;
  /** Continues from a snapshot; absent where the world has none. */
  restore?: (snapshot: SessionSnapshot, options?: RestoreOptions) => Promise<void>;
  readonly #options: ThreadSessionOptions;
  #next: StepRequestInput | undefined;
  #before: StepRequestInput | undefined;
  #closing: Promise<void> | undefined;

  private constructor(options: ThreadSessionOptions, { next, can }: SessionAnswer) {
    this.#options = options;
    this.#next = next;
    if (can?.finalize === true) this.finalizeStep = (how) => this.#finalize(how);
    if (can?.discard === true) this.discardStep = () => this.#discard();
    if (can?.snapshot === true) {
      this.snapshot = () => this.#snapshot();
      this.restore = (snapshot, how = {}) => this.#restore(snapshot, how);
    }
  }

  /** Starts a rollout in the thread. */
  static async open(
    options: ThreadSessionOptions,
    inputs: ModelInputs,
    { seed, signal }: { readonly seed: number; readonly signal?: AbortSignal },
  ): Promise<ThreadSession> {
    const { thread, session } = options;
    return new ThreadSession(
      options,
      await thread.call(session, { method: "open", inputs: plainInputs(inputs), seed }, signal),
    );
  }

  /** What the next step needs, or nothing when the rollout is complete. */
  nextStepRequest(): StepRequestInput | undefined {
    this.#requireOpen();
    return this.#next;
  }

  /** Runs one step; its state counts only if it succeeds. */
  async step(inputs: ModelInputs, { signal }: StepOptions): Promise<StepResultInput> {
    this.#requireOpen();
    throwIfCancelled(signal, "the step");
    const { thread, session, onStep } = this.#options;
    const { next, result } = await thread.call(session, { method: "step", inputs: plainInputs(inputs) }, signal);
    if (result === undefined)
      throw new DreamloopError(ERROR_CODES.internal, "a worker answered a step without a result");
    this.#before = this.#next;
    if (this.finalizeStep === undefined) this.#next = next;
    onStep();
    return result;
  }

  /** Starts the rollout anew. */
  async reset({ inputs, seed, signal }: ResetOptions): Promise<void> {
    this.#requireOpen();
    throwIfCancelled(signal, "the reset");
    const call = {
      method: "reset",
      ...(seed === undefined ? {} : { seed }),
      ...(inputs === undefined ? {} : { inputs: plainInputs(inputs) }),
    } as const;
    this.#settle(await this.#options.thread.call(this.#options.session, call, signal));
  }

  /** Frees the session on both sides; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { thread, session, onClose } = this.#options;
    try {
      await thread.call(session, { method: "close" });
    } catch (error) {
      // A thread that is gone has closed its sessions.
      if (thread.failure === undefined) throw error;
    } finally {
      onClose();
    }
  }

  async #finalize({ signal }: StepOptions): Promise<void> {
    this.#requireOpen();
    this.#settle(await this.#options.thread.call(this.#options.session, { method: "finalize" }, signal));
  }

  #discard(): void {
    if (this.#closing !== undefined) return;
    if (this.#before !== undefined) this.#next = this.#before;
    this.#before = undefined;
    // Sent now and done before anything that is asked later. If the thread has ended, the next call throws the reason.
    this.#options.thread.call(this.#options.session, { method: "discard" }).catch(() => undefined);
  }

  async #snapshot(): Promise<SessionSnapshot> {
    this.#requireOpen();
    const { snapshot } = await this.#options.thread.call(this.#options.session, { method: "snapshot" });
    if (snapshot === undefined) throw new DreamloopError(ERROR_CODES.internal, "a worker answered without a snapshot");
    return snapshot;
  }

  async #restore(snapshot: SessionSnapshot, options: RestoreOptions): Promise<void> {
    this.#requireOpen();
    const { thread, session } = this.#options;
    this.#settle(await thread.call(session, { method: "restore", snapshot, options }));
  }

  #settle({ next }: SessionAnswer): void {
    this.#next = next;
    this.#before = undefined;
  }

  #requireOpen(): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(ERROR_CODES.closed, "InferenceSession: used after it was closed; start another");
  }
}

function plainInputs(inputs: ModelInputs): ModelInputsInput {
  const { initial, step, update, metadata } = modelInputs(inputs);
  return plainData({ initial, step, update, metadata }, "ModelInputs") as ModelInputsInput;
}
