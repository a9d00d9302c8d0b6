import { parentPort, workerData } from "node:worker_threads";
import {
  BACKENDS,
  DreamloopError,
  ERROR_CODES,
  defaultCanonicalizer,
  eventCatalogue,
  inferenceConfig,
  type InferenceConfig,
  type InferenceRuntime,
  type ModelAdapter,
  type RunFrom,
} from "@dreamloop/core";
import { DEFAULT_WAIT_LIMITS } from "@dreamloop/core";
import {
  assertRuntime,
  configOfCandidate,
  errorToRecord,
  checkConfigSupport,
  mappingMembers,
} from "@dreamloop/core/internal";
import { imageInputSize } from "../image-input.ts";
import { ProcessClock } from "../process-clock.ts";
import { runFrom } from "../moment/run-from.ts";
import { HostedSessionWorker } from "./hosted-session-worker.ts";
import type { FromWorker, ToWorker, WorkerStart, WorldInfo } from "./messages.ts";
import { ThreadMarks } from "./thread-marks.ts";
import { watchNativeCode } from "./watch-native-code.ts";
import { errorToThread } from "./thread-error.ts";
import { loadAdapter } from "../pool/load-adapter.ts";
import { worldReference } from "./world-reference.ts";

/**
 * The worker of one loaded runtime: loads the world, then runs the driver, converters, mapping and model of all its sessions, interleaved.
 * A model that blocks this thread blocks no socket.
 */
class RuntimeWorker {
  readonly #cancel = new AbortController();
  readonly #sessions = new Map<string, HostedSessionWorker>();
  #loaded:
    { adapter: ModelAdapter; runtime: InferenceRuntime; config: InferenceConfig; candidateIndex: number } | undefined;

  #waits = DEFAULT_WAIT_LIMITS;

  async load(start: WorkerStart): Promise<void> {
    const clock = new ProcessClock();
    const begin = clock.nowSeconds();
    const adapter = await loadAdapter(worldReference(start.reference)).finally(() => post({ type: "imported" }));
    if (this.#cancel.signal.aborted) throw new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled");
    const config = inferenceConfig({ modelId: adapter.modelId, ...start.config });
    this.#waits = start.waits;
    const candidateIndex = start.candidateIndex ?? 0;
    checkConfigSupport(adapter, config, candidateIndex);
    // The threads of a pool run native code, and end with this one.
    if (config.backend === BACKENDS.localDistributed) marks.noteNativeCode();
    const runtime: unknown = await adapter.createRuntime(configOfCandidate(config, candidateIndex), {
      signal: this.#cancel.signal,
      onProgress: (progress) => post({ type: "progress", progress }),
    });
    assertRuntime(runtime);
    if (this.#cancel.signal.aborted) {
      await runtime.close();
      throw new DreamloopError(ERROR_CODES.cancelled, "the load was cancelled");
    }
    this.#loaded = { adapter, runtime, config, candidateIndex };
    post({ type: "loaded", info: worldInfo(adapter, runtime, config, clock.nowSeconds() - begin) });
  }

  take(message: ToWorker): void {
    switch (message.type) {
      case "cancel_load":
        this.#cancel.abort();
        break;
      case "start_session": {
        const { sessionId, start, port, chunkPort } = message;
        if (this.#loaded === undefined) {
          port.postMessage({
            type: "failed",
            error: errorToThread(new DreamloopError(ERROR_CODES.invalidState, "the world is not loaded")),
          });
          port.close();
          return;
        }
        const loaded = this.#loaded;
        const ports = { port, ...(chunkPort === undefined ? {} : { chunkPort }) };
        const open = (from?: RunFrom): void => {
          const origin = from === undefined ? {} : { from };
          this.#sessions.set(
            sessionId,
            new HostedSessionWorker({ ...loaded, start, waits: this.#waits, ...ports, ...origin }),
          );
          port.on("close", () => this.#sessions.delete(sessionId));
        };
        const fail = (error: unknown): void => {
          // One session that cannot start must not end the thread of the others.
          port.postMessage({ type: "failed", error: errorToThread(error) });
          chunkPort?.close();
          port.close();
        };
        try {
          if (start.from === undefined) open();
          else {
            const { seed, allowOtherEngine, momentLimits: limits } = start;
            const options = {
              ...(seed === undefined ? {} : { seed }),
              ...(allowOtherEngine === undefined ? {} : { allowOtherEngine }),
              ...(limits === undefined ? {} : { limits }),
            };
            // What is sent to the session meanwhile waits in its port.
            runFrom(start.from, options).then(open).catch(fail);
          }
        } catch (error) {
          fail(error);
        }
        break;
      }
      case "close":
        void this.#close();
        break;
      case "exit":
        process.exit(0);
    }
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((session) => session.close()));
    try {
      await this.#loaded?.runtime.close();
      post({ type: "closed" });
    } catch (error) {
      post({ type: "closed", error: errorToRecord(error) });
    }
    parentPort?.close();
  }
}

function worldInfo(
  adapter: ModelAdapter,
  runtime: InferenceRuntime,
  config: InferenceConfig,
  loadSeconds: number,
): WorldInfo {
  const mappings = mappingMembers(adapter.defaultInputMapping());
  const source = eventCatalogue().schema();
  const converters = defaultCanonicalizer(adapter, mappings).convertersFor(source);
  return {
    modelId: adapter.modelId,
    version: adapter.version ?? "1",
    title: adapter.title ?? adapter.modelId,
    description: adapter.description ?? "",
    session: { ...runtime.describe() },
    maxSessions: runtime.maxSessions ?? 1,
    controls: converters.flatMap((converter) => converter.controls.map((control) => ({ ...control }))),
    eventTypes: [
      ...new Set(converters.flatMap((converter) => converter.consumes.map((capability) => capability.eventType))),
    ],
    initialFields: adapter.modelInputSchema.initialFields.map((field) => {
      const { name, required, updatePolicy, description } = field;
      const image = imageInputSize(field);
      return { name, required, updatePolicy, description, ...(image === undefined ? {} : { image }) };
    }),
    ...(adapter.promptVocabulary === undefined ? {} : { promptVocabulary: [...adapter.promptVocabulary] }),
    ...(adapter.promptSuggestions === undefined ? {} : { promptSuggestions: [...adapter.promptSuggestions] }),
    runtimeFacts: runtime.facts?.() ?? {},
    config: JSON.parse(JSON.stringify(config)) as WorldInfo["config"],
    loadSeconds,
  };
}

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

const start = workerData as WorkerStart;
const marks = new ThreadMarks(start.marks);
watchNativeCode(marks);
marks.beat();
const worker = new RuntimeWorker();
parentPort?.on("message", (message: ToWorker) => worker.take(message));
worker.load(start).catch((error: unknown) => {
  post({ type: "load_failed", error: errorToThread(error, ERROR_CODES.loadFailed) });
  parentPort?.close();
});
