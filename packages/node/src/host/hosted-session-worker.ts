import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import {
  PendingInput,
  startRealtime,
  TraceEncoder,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
  type RealtimeRun,
  type RewindAnswer,
  type RunFrom,
  type StageListener,
  type WaitLimits,
} from "@dreamloop/core";
import {
  errorToRecord,
  heldAt,
  INLINE_BYTES_PER_LINE,
  positionOf,
  SessionHistory,
  STAGES,
} from "@dreamloop/core/internal";
import { ProcessClock } from "../process-clock.ts";
import { sha256FrameHasher } from "../sha256-hasher.ts";
import { momentOf } from "../moment/run-from.ts";
import { environmentFacts } from "../environment-facts.ts";
import type { FromSession, SessionStart, ToChunkSender, ToSession } from "./messages.ts";
import { PortChunkSink } from "./port-chunk-sink.ts";
import { errorToThread } from "./thread-error.ts";

/** One session inside the worker: the realtime driver on one side, a message port on the other. */
export class HostedSessionWorker {
  readonly #port: MessagePort;
  readonly #input: PendingInput;
  readonly #run: RealtimeRun;
  readonly #history: SessionHistory | undefined;
  readonly #sink: PortChunkSink;

  /** Starts the session; it closes the port when it has ended. */
  constructor(options: {
    readonly adapter: ModelAdapter;
    readonly runtime: InferenceRuntime;
    readonly config: InferenceConfig;
    readonly candidateIndex: number;
    readonly start: SessionStart;
    readonly waits: WaitLimits;
    readonly port: MessagePort;
    /** Where chunks go; default `port`. */
    readonly chunkPort?: MessagePort;
    /** The moment that it goes on from, as `start.from` holds it. */
    readonly from?: RunFrom;
  }) {
    const { adapter, runtime, config, candidateIndex, start, waits, port, chunkPort, from } = options;
    const clock = new ProcessClock();
    this.#port = port;
    let modelSeconds = 0;
    let readSeconds = 0;
    const stages: StageListener = {
      stage: (stage, _stepNumber, startSeconds, endSeconds) => {
        if (stage === STAGES.model) modelSeconds = endSeconds - startSeconds;
        else if (stage === STAGES.read) readSeconds = startSeconds;
      },
    };
    this.#sink = new PortChunkSink({
      port: chunkPort ?? port,
      maxChunksInFlight: start.maxChunksInFlight,
      status: () => this.#run.status(),
      modelSeconds: () => modelSeconds,
      readSeconds: () => readSeconds,
    });
    this.#input = new PendingInput({
      ...(start.holdTimeoutSeconds === undefined ? {} : { holdTimeoutSeconds: start.holdTimeoutSeconds }),
      ...(from === undefined ? {} : { held: heldAt(from.state) }),
    });
    // Whoever held something at the moment need not hold it now; the next message says what is held.
    if (from !== undefined) this.#input.release(positionOf(from.state).sessionSeconds, { reason: "moment" });
    const { history } = start;
    this.#history =
      history === undefined ? undefined : new SessionHistory({ ...history, clock, hasher: sha256FrameHasher });
    this.#run = startRealtime({
      adapter,
      runtime,
      config,
      candidateIndex,
      input: this.#input,
      clock,
      waits,
      ...(from === undefined ? { seed: start.seed, initialInputs: start.initialInputs } : { from }),
      ...(this.#history === undefined ? {} : { history: this.#history }),
      leadFrames: start.leadFrames,
      stepLimit: start.stepLimit,
      checkFrames: start.checkFrames,
      outputs: [this.#sink],
      stages,
      onWarning: (warning) => this.#post({ type: "warning", warning }),
      pollInput: () => this.#poll(),
      ...(start.trace === true
        ? {
            frameHasher: sha256FrameHasher,
            observers: [
              new TraceEncoder({
                sink: { write: (line) => this.#post({ type: "trace", line }) },
                payloads: { put: (address, bytes) => this.#sendPayload(address, bytes), get: () => undefined },
                environment: environmentFacts(),
                hasher: sha256FrameHasher,
                // What it starts from, such as a picture, stands in its lines where it can, so that one file is enough.
                inlineBytes: INLINE_BYTES_PER_LINE,
              }),
            ],
          }
        : {}),
    });
    port.on("message", (message: ToSession) => this.#take(message));
    chunkPort?.on("message", (message: ToChunkSender) => this.#take(message));
    void this.#run.started.then(
      () => this.#post({ type: "started" }),
      () => undefined,
    );
    void this.#run.done
      .then(
        (report) => this.#post({ type: "ended", report }),
        (error: unknown) => this.#post({ type: "failed", error: errorToThread(error) }),
      )
      .finally(() => {
        chunkPort?.close();
        port.close();
      });
  }

  /** Ends the session at its next step boundary. */
  async close(): Promise<void> {
    await this.#run.close().catch(() => undefined);
  }

  #answer<T>(
    requestId: number,
    work: Promise<T>,
    answer: (
      result: T,
    ) =>
      | { readonly type: "rewind_done"; readonly answer: RewindAnswer }
      | { readonly type: "moment_done"; readonly bytes: Uint8Array },
  ): void {
    void work.then(
      (result) => this.#post({ ...answer(result), requestId }),
      (error: unknown) => this.#post({ type: "request_failed", requestId, error: errorToRecord(error) }),
    );
  }

  #post(message: FromSession): void {
    this.#port.postMessage(message);
  }

  #sendPayload(address: string, bytes: Uint8Array): void {
    const copy = bytes.slice();
    const message: FromSession = { type: "trace_payload", address, bytes: copy };
    this.#port.postMessage(message, [copy.buffer]);
  }

  /** Takes in what has arrived while the model held the thread, so that a step sees the newest state. */
  #poll(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; next = receiveMessageOnPort(this.#port)) {
      this.#take(next.message as ToSession);
    }
  }

  #take(message: ToSession): void {
    switch (message.type) {
      case "events":
        try {
          this.#run.push(message.events, message.sequence === undefined ? {} : { sequence: message.sequence });
        } catch (error) {
          this.#post({ type: "refused_events", error: errorToRecord(error) });
        }
        break;
      case "reset":
        void this.#run.reset(message.seed === undefined ? {} : { seed: message.seed }).then(
          (generation) => this.#post({ type: "reset_done", requestId: message.requestId, generation }),
          (error: unknown) =>
            this.#post({ type: "request_failed", requestId: message.requestId, error: errorToRecord(error) }),
        );
        break;
      case "rewind":
        this.#answer(message.requestId, this.#run.rewind(message.to), (answer) => ({ type: "rewind_done", answer }));
        break;
      case "moment": {
        const { at, isFork, extras } = message;
        const captured = isFork ? this.#run.fork(at) : this.#run.capture(at);
        const written = captured.then((state) => momentOf(state, extras));
        this.#answer(message.requestId, written, (bytes) => ({ type: "moment_done", bytes }));
        break;
      }
      case "history":
        this.#post({ type: "history_done", requestId: message.requestId, facts: this.#history?.facts });
        break;
      case "step_once":
        this.#run.stepOnce();
        break;
      case "release_input":
        this.#input.release(this.#run.status().sessionSeconds, { reason: message.reason });
        break;
      case "chunk_done":
        this.#sink.giveBack(message.pixels);
        break;
      case "close":
        void this.close();
        break;
    }
  }
}
