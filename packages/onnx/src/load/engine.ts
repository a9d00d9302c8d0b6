import type { BundleFiles } from "../manifest/bundle-files.ts";
import type { GraphPort, Tensor } from "../manifest/tensor.ts";

/** Where a graph and its weights lie. */
export interface GraphSource {
  /** The bundle's files. */
  readonly files: BundleFiles;
  /** Path of the `.onnx` file within the bundle. */
  readonly path: string;
  /** Paths, relative to the folder of the `.onnx` file, of the external data that it refers to. */
  readonly externalData: readonly string[];
}

/** How a graph is made. */
export interface GraphOptions {
  /** Threads that one run may use. */
  readonly threads: number;
  /** What the graph runs on, one of the engine's devices; default the first of them. */
  readonly device?: string | undefined;
  /** What large products and convolutions compute in where the graph's weights are stored in 16 bits; default fp32. */
  readonly precision?: "fp32" | "fp16" | undefined;
  /** Cancels the creation where the engine can be interrupted. */
  readonly signal?: AbortSignal;
}

/** A loaded ONNX model. It has no state of its own: the same feeds give the same outputs. */
export interface Graph {
  /** What it takes. */
  readonly inputs: readonly GraphPort[];
  /** What it gives. */
  readonly outputs: readonly GraphPort[];
  /** Computes the named outputs. Feeds are read during the call only; the returned data belong to the caller. */
  run(
    feeds: Readonly<Record<string, Tensor>>,
    outputNames: readonly string[],
  ): Promise<Readonly<Record<string, Tensor>>>;
  /** Frees the weights; idempotent. */
  close(): Promise<void>;
}

/** Facts about an engine for traces and statistics. */
export interface EngineFacts {
  /** Its name, such as `onnxruntime-node`. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** Execution providers that run the graphs, in order of preference. */
  readonly providers: readonly string[];
  /** Execution providers that it asked for; where they are not those that run the graphs, it has fallen back. */
  readonly askedProviders: readonly string[];
  /**
   * What decides about the bits of a result beside version and threads: system, processor, instruction sets. Where it is the
   * same text, so are the bits; empty where it is not known. Nothing in it names the machine or its user.
   */
  readonly processor: string;
  /** Threads that the machine runs at the same time. */
  readonly availableThreads: number;
}

/** What runs graphs: ONNX Runtime in Node, in a browser, or a stand-in for tests. */
export interface Engine {
  /** Name for messages and keys of shared loads. */
  readonly name: string;
  /** Devices that a configuration may ask for; the first is the default. Whether they are there is known when a graph is made for one. */
  readonly devices: readonly string[];
  /** Those of the devices that compute in 16 bits; default none. */
  readonly halfPrecisionDevices?: readonly string[] | undefined;
  /** Threads of a run unless the configuration says otherwise. */
  readonly defaultThreads: number;
  /** Memory that a world may take unless told otherwise, in bytes; absent where the engine does not know. */
  readonly memoryBytes?: number | undefined;
  /** Graphs made and not closed yet: the native handles in use. */
  readonly openGraphs: number;
  /** Name, version and the providers of a device, by default the first; may load the engine. Throws `unavailable` when it is not installed. */
  facts(device?: string): Promise<EngineFacts>;
  /** Loads one graph. Throws `load_failed` with the engine's reason, `cancelled`, or `unavailable` when the engine or the device is not there. */
  createGraph(source: GraphSource, options: GraphOptions): Promise<Graph>;
}
