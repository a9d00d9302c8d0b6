import { receiveMessageOnPort, type MessagePort } from "node:worker_threads";
import {
  errorToRecord,
  INLINE_BYTES_PER_LINE,
  PendingInput,
  STAGES,
  startRealtime,
  TraceEncoder,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
  type RealtimeRun,
  type StageListener,
  type WaitLimits,
} from "@dreamloop/core";
import { ProcessClock } from "../process-clock.ts";
import { sha256FrameHasher } from "../sha256-hasher.ts";
import { environmentFacts } from "../environment-facts.ts";
import type { FromSession, SessionStart, ToChunkSender, ToSession } from "./messages.ts";
import { PortChunkSink } from "./port-chunk-sink.ts";
import { errorToThread } from "./thread-error.ts";

/** One session inside the worker: the realtime driver on one side, a message port on the other. */
export class HostedSessionWorker {
  readonly #port: MessagePort;
  readonly #input: PendingInput;
  readonly #run: RealtimeRun;
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
  }) {
    const { adapter, runtime, config, candidateIndex, start, waits, port, chunkPort } = options;
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
    this.#input = new PendingInput(
      start.holdTimeoutSeconds === undefined ? {} : { holdTimeoutSeconds: start.holdTimeoutSeconds },
    );
    this.#run = startRealtime({
      adapter,
      runtime,
      config,
      candidateIndex,
      input: this.#input,
      clock: new ProcessClock(),
      waits,
      seed: start.seed,
      initialInputs: start.initialInputs,
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
