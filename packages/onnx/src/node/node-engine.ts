import { createRequire } from "node:module";
import { availableParallelism, totalmem } from "node:os";
import { DreamloopError, ERROR_CODES, throwIfCancelled } from "@dreamloop/core";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { computeInHalf } from "../half/compute-in-half.ts";
import type { Engine, EngineFacts, Graph, GraphOptions, GraphSource } from "../load/engine.ts";
import { besidePath } from "../manifest/bundle-files.ts";
import type { GraphPort, Tensor, TensorData, TensorDtype } from "../manifest/tensor.ts";
import { DeviceLock } from "./device-lock.ts";
import { offeredDevices, providerNames, providersOf, whyDeviceIsMissing } from "./node-devices.ts";
import { processorName } from "./processor-name.ts";

type Library = typeof import("onnxruntime-node");

/** Threads that a run gets at most unless the configuration says otherwise; more rarely pay for small models. */
export const MAX_DEFAULT_THREADS = 4;

/**
 * Between runs the threads of one graph must not spin: a world has several graphs, each with threads of its own, and those
 * that wait would take the cores from the one that works. Measured with four graphs on two cores: 4 to 9 times slower with it.
 */
const SESSION_CONFIG = { session: { intra_op: { allow_spinning: "0" } } };

/** Fatal errors only: what is wrong is in the error that is thrown, and the library's own lines would go to the terminal. */
const LOG_FATAL_ONLY = 4;

/** Devices whose library ends the process when several of its threads use it at the same time (seen with webgpu in version 1.30.0). */
const ONE_THREAD_DEVICES: readonly string[] = ["webgpu"];

/** Makes a call of the library, alone where the device needs that. */
type Exclusively = <T>(work: () => T | Promise<T>) => Promise<T>;

/** Share of the machine's memory that a world may take unless told otherwise. */
export const DEFAULT_MEMORY_SHARE = 0.5;

/** What `nodeEngine` takes. */
export interface NodeEngineOptions {
  /** Loads the library; default: `onnxruntime-node`. */
  readonly load?: () => Promise<Library>;
}

/**
 * ONNX Runtime in Node, on the processor or another device that it offers here. A run blocks the calling thread while it computes, so a server keeps it in a worker.
 * The library is loaded with the first graph.
 */
export function nodeEngine(options: NodeEngineOptions = {}): Engine {
  return new NodeEngine(options.load ?? (() => import("onnxruntime-node")));
}

class NodeEngine implements Engine {
  readonly name = "onnxruntime-node";
  readonly devices = offeredDevices(process.platform, process.arch);
  readonly halfPrecisionDevices = this.devices.filter((device) => device !== "cpu");
  readonly defaultThreads = Math.min(MAX_DEFAULT_THREADS, availableParallelism());
  readonly memoryBytes = Math.floor(machineMemoryBytes() * DEFAULT_MEMORY_SHARE);
  openGraphs = 0;
  readonly #load: () => Promise<Library>;
  #lock: DeviceLock | undefined;

  constructor(load: () => Promise<Library>) {
    this.#load = load;
  }

  async facts(device = "cpu"): Promise<EngineFacts> {
    await this.#library();
    const manifest = createRequire(import.meta.url)("onnxruntime-node/package.json") as { readonly version: string };
    return {
      name: this.name,
      version: manifest.version,
      providers: providerNames(device),
      askedProviders: providerNames(device),
      // What is known of other devices does not say enough about the bits of their results.
      processor: device === "cpu" ? await processorName() : "",
      availableThreads: availableParallelism(),
    };
  }

  async createGraph(source: GraphSource, options: GraphOptions): Promise<Graph> {
    const { device = "cpu" } = options;
    const library = await this.#library();
    throwIfCancelled(options.signal, "the load");
    const settings: InferenceSession.SessionOptions = {
      executionProviders: providersOf(device),
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      graphOptimizationLevel: "all",
      logSeverityLevel: LOG_FATAL_ONLY,
      extra: SESSION_CONFIG,
      // DirectML refuses graphs with it.
      ...(device === "dml" ? { enableMemPattern: false } : {}),
    };
    const exclusively = this.#exclusively(device);
    const session = await exclusively(() =>
      openSession({ library, source, settings, device, isHalf: options.precision === "fp16" }),
    );
    this.openGraphs += 1;
    return new NodeGraph({ library, session, device, exclusively, onClose: () => (this.openGraphs -= 1) });
  }

  /** How the calls of a device are made: calls of a device whose library supports one thread at a time wait for each other. */
  #exclusively(device: string): Exclusively {
    if (!ONE_THREAD_DEVICES.includes(device)) return async (work) => work();
    this.#lock ??= DeviceLock.ofProcess(device);
    const lock = this.#lock;
    return (work) => lock.hold(work);
  }

  async #library(): Promise<Library> {
    try {
      const library = await this.#load();
      library.env.logLevel = "fatal";
      return library;
    } catch (error) {
      throw new DreamloopError(
        ERROR_CODES.unavailable,
        "onnxruntime-node cannot be loaded; install it with ONNXRUNTIME_NODE_INSTALL=skip npm install onnxruntime-node@1.30.0",
        { cause: error },
      );
    }
  }
}

async function openSession(given: {
  readonly library: Library;
  readonly source: GraphSource;
  readonly settings: InferenceSession.SessionOptions;
  readonly device: string;
  readonly isHalf: boolean;
}): Promise<InferenceSession> {
  const { library, source, settings, device, isHalf } = given;
  const { files, path, externalData } = source;
  try {
    // From a path the library maps the weights itself; otherwise they pass through memory of this process.
    if (files.nativePath !== undefined && !isHalf)
      return await library.InferenceSession.create(files.nativePath(path), settings);
    const external = await Promise.all(
      externalData.map(async (name) => ({ path: name, data: await files.read(besidePath(path, name)) })),
    );
    const model = await files.read(path);
    return await library.InferenceSession.create(isHalf ? computeInHalf(model) : model, {
      ...settings,
      externalData: external,
    });
  } catch (error) {
    const missing = whyDeviceIsMissing(device, plainMessage(error));
    if (missing !== undefined) {
      throw new DreamloopError(ERROR_CODES.unavailable, `device ${device}: ${missing}`, {
        cause: error,
        details: { device },
      });
    }
    throw new DreamloopError(
      ERROR_CODES.loadFailed,
      `graph ${path}: onnxruntime-node refuses it: ${plainMessage(error)}`,
      {
        cause: error,
        details: { file: path },
      },
    );
  }
}

const RUN_OPTIONS = { logSeverityLevel: LOG_FATAL_ONLY } as const;

/** Of the machine, or of the container where that has less. */
function machineMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 && limit < totalmem() ? limit : totalmem();
}

/** The library's message without the place in its own sources. */
function plainMessage(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\S*onnxruntime\S*\.(?:h|cc):\d+ [^\n]*?\)(?: const)? (?=[A-Z])/g, " ").trim();
}

class NodeGraph implements Graph {
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
  readonly #library: Library;
  readonly #onClose: () => void;
  readonly #device: string;
  readonly #exclusively: Exclusively;
  /** Wrappers of tensors that are fed again and again, such as caches. */
  readonly #wrappers = new WeakMap<Tensor, OrtTensor>();
  #session: InferenceSession | undefined;
  #closing: Promise<void> | undefined;

  constructor(given: {
    readonly library: Library;
    readonly session: InferenceSession;
    readonly device: string;
    readonly exclusively: Exclusively;
    readonly onClose: () => void;
  }) {
    const { library, session, device, exclusively, onClose } = given;
    this.#exclusively = exclusively;
    this.#library = library;
    this.#session = session;
    this.#device = device;
    this.#onClose = onClose;
    this.inputs = session.inputMetadata.map(portOf);
    this.outputs = session.outputMetadata.map(portOf);
  }

  async run(
    feeds: Readonly<Record<string, Tensor>>,
    outputNames: readonly string[],
  ): Promise<Readonly<Record<string, Tensor>>> {
    if (this.#session === undefined) throw new DreamloopError(ERROR_CODES.closed, "Graph: used after it was closed");
    const wrapped: Record<string, OrtTensor> = {};
    for (const name in feeds) wrapped[name] = this.#wrap(feeds[name]);
    const session = this.#session;
    const results = await this.#exclusively(() => session.run(wrapped, outputNames, RUN_OPTIONS)).catch(
      (error: unknown) => {
        throw this.#explained(error);
      },
    );
    const tensors: Record<string, Tensor> = {};
    for (const name of outputNames) {
      const result = results[name];
      tensors[name] = { dtype: result.type as TensorDtype, shape: result.dims, data: dataOf(result) };
    }
    return tensors;
  }

  close(): Promise<void> {
    this.#closing ??= this.#release();
    return this.#closing;
  }

  /** Some drivers say only when a graph runs what they cannot do. */
  #explained(error: unknown): unknown {
    const missing = whyDeviceIsMissing(this.#device, plainMessage(error));
    if (missing === undefined) return error;
    return new DreamloopError(ERROR_CODES.unavailable, `device ${this.#device}: ${missing}`, { cause: error });
  }

  async #release(): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await this.#exclusively(() => session?.release());
    this.#onClose();
  }

  #wrap(tensor: Tensor): OrtTensor {
    const known = this.#wrappers.get(tensor);
    if (known !== undefined) return known;
    const { Tensor: Wrapper } = this.#library;
    const made = new Wrapper(tensor.dtype as "float32", tensor.data as Float32Array, tensor.shape);
    this.#wrappers.set(tensor, made);
    return made;
  }
}

/** Where the language has 16-bit floats the library uses them; here they are bits everywhere. */
function dataOf({ type, data }: OrtTensor): TensorData {
  if (type !== "float16" || data instanceof Uint16Array) return data as TensorData;
  const floats = data as unknown as Uint16Array;
  return new Uint16Array(floats.buffer, floats.byteOffset, floats.length);
}

function portOf(metadata: InferenceSession.ValueMetadata): GraphPort {
  if (!metadata.isTensor) return { name: metadata.name, dtype: "no tensor" };
  const shape = metadata.shape.map((length) => (typeof length === "number" ? length : ("any" as const)));
  return { name: metadata.name, dtype: metadata.type, shape };
}
