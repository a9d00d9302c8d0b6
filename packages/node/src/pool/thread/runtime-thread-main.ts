import { parentPort, workerData } from "node:worker_threads";
import {
  DreamloopError,
  ERROR_CODES,
  inferenceConfig,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
  type StepRequestInput,
  type StepResultInput,
} from "@dreamloop/core";
import { assertRuntime, checkConfigSupport } from "@dreamloop/core/internal";
import { errorToThread } from "../../host/thread-error.ts";
import { ThreadMarks } from "../../host/thread-marks.ts";
import { watchNativeCode } from "../../host/watch-native-code.ts";
import { importAdapter, worldReference } from "../../host/world-reference.ts";
import { plainData } from "./plain-data.ts";
import type {
  FromRuntimeThread,
  RuntimeThreadStart,
  SessionAnswer,
  SessionCall,
  ToRuntimeThread,
} from "./thread-messages.ts";

/** The thread of one worker of a pool: loads a runtime and does what is asked of its sessions. */
class RuntimeThreadMain {
  readonly #cancel = new AbortController();
  readonly #sessions = new Map<number, InferenceSession>();
  readonly #calls = new Map<number, AbortController>();
  #runtime: InferenceRuntime | undefined;

  async load({ reference, config: given }: RuntimeThreadStart): Promise<void> {
    const adapter = await importAdapter(worldReference(reference)).finally(() => post({ type: "imported" }));
    this.#throwIfCancelled();
    const config = inferenceConfig(given);
    checkConfigSupport(adapter, config);
    const runtime: unknown = await adapter.createRuntime(config, {
      signal: this.#cancel.signal,
      onProgress: (progress) => post({ type: "progress", progress }),
    });
    assertRuntime(runtime);
    if (this.#cancel.signal.aborted) await runtime.close();
    this.#throwIfCancelled();
    this.#runtime = runtime;
    post({
      type: "loaded",
      info: {
        description: { ...runtime.describe() },
        maxSessions: runtime.maxSessions ?? 1,
        ownsPacing: runtime.ownsPacing ?? false,
        facts: runtime.facts?.() ?? {},
      },
    });
  }

  take(message: ToRuntimeThread): void {
    switch (message.type) {
      case "cancel_load":
        this.#cancel.abort();
        break;
      case "call":
        void this.#answer(message);
        break;
      case "abort":
        this.#calls.get(message.id)?.abort();
        break;
      case "close":
        void this.#close();
        break;
      case "exit":
        process.exit(0);
    }
  }

  async #answer({ id, session, call }: Extract<ToRuntimeThread, { type: "call" }>): Promise<void> {
    const cancel = new AbortController();
    this.#calls.set(id, cancel);
    try {
      const answer = await this.#run(session, call, cancel.signal);
      const pixels = answer.result?.output?.data.buffer;
      post({ type: "answer", id, answer }, pixels === undefined ? [] : [pixels as ArrayBuffer]);
    } catch (error) {
      post({ type: "refused", id, error: errorToThread(error) });
    } finally {
      this.#calls.delete(id);
    }
  }

  async #run(key: number, call: SessionCall, signal: AbortSignal): Promise<SessionAnswer> {
    if (call.method === "open") return this.#open(key, call, signal);
    const session = this.#sessions.get(key);
    if (session === undefined) {
      if (call.method === "close") return {};
      throw new DreamloopError(ERROR_CODES.closed, `session ${key} is not open`);
    }
    switch (call.method) {
      case "step": {
        const result = resultOf(await session.step(modelInputs(call.inputs), { signal }));
        // What follows a step that is not finalised yet is not known.
        return session.finalizeStep === undefined ? { ...nextOf(session), result } : { result };
      }
      case "finalize":
        await session.finalizeStep?.({ signal });
        return nextOf(session);
      case "discard":
        session.discardStep?.();
        return nextOf(session);
      case "reset": {
        const { seed, inputs } = call;
        await session.reset({
          signal,
          ...(seed === undefined ? {} : { seed }),
          ...(inputs === undefined ? {} : { inputs: modelInputs(inputs) }),
        });
        return nextOf(session);
      }
      case "snapshot": {
        const snapshot = await session.snapshot?.();
        return snapshot === undefined ? {} : { snapshot };
      }
      case "restore":
        await session.restore?.(call.snapshot, call.options);
        return nextOf(session);
      case "close":
        this.#sessions.delete(key);
        await session.close();
        return {};
    }
  }

  async #open(
    key: number,
    { inputs, seed }: Extract<SessionCall, { method: "open" }>,
    signal: AbortSignal,
  ): Promise<SessionAnswer> {
    if (this.#runtime === undefined) throw new DreamloopError(ERROR_CODES.invalidState, "the world is not loaded");
    const session = await this.#runtime.startSession(modelInputs(inputs), { seed, signal });
    if (signal.aborted) {
      // Nobody waits for it any more.
      await session.close();
      throw new DreamloopError(ERROR_CODES.cancelled, "the start of a session was cancelled");
    }
    this.#sessions.set(key, session);
    const can = {
      finalize: session.finalizeStep !== undefined,
      discard: session.discardStep !== undefined,
      snapshot: session.snapshot !== undefined && session.restore !== undefined,
    };
    return { ...nextOf(session), can };
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#sessions.values()].map(async (session) => session.close()));
    try {
      await this.#runtime?.close();
    } finally {
      parentPort?.close();
    }
  }

  #throwIfCancelled(): void {
    if (this.#cancel.signal.aborted) throw new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled");
  }
}

function nextOf(session: InferenceSession): { readonly next?: StepRequestInput } {
  const next = session.nextStepRequest();
  if (next?.modelInputSchema !== undefined) {
    throw new DreamloopError(
      ERROR_CODES.unsupportedConfig,
      "StepRequest.modelInputSchema: a world whose steps ask for inputs of their own cannot run in a pool of workers; leave resourceHints.workers out",
    );
  }
  return next === undefined ? {} : { next: plainData(next, "StepRequest") as StepRequestInput };
}

/** A result with pixels of its own, which can be given away. */
function resultOf(given: StepResultInput): StepResultInput {
  const result = stepResult(given);
  const { output, outputWindow, metadata, ...rest } = result;
  const plain = {
    ...rest,
    metadata: plainData(metadata, "StepResult.metadata") as StepResultInput["metadata"] & object,
    ...(outputWindow === undefined
      ? {}
      : { outputWindow: { startSeconds: outputWindow.startSeconds, endSeconds: outputWindow.endSeconds } }),
  };
  if (output === undefined) return plain;
  const { release, ...chunk } = output;
  const data = output.data.slice();
  release?.();
  return { ...plain, output: { ...chunk, data } };
}

function post(message: FromRuntimeThread, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, [...transfer]);
}

const start = workerData as RuntimeThreadStart;
const marks = new ThreadMarks(start.marks);
watchNativeCode(marks);
marks.beat();
const main = new RuntimeThreadMain();
parentPort?.on("message", (message: ToRuntimeThread) => main.take(message));
main.load(start).catch((error: unknown) => {
  post({ type: "load_failed", error: errorToThread(error, ERROR_CODES.loadFailed) });
  parentPort?.close();
});
