import {
  DreamloopError,
  ERROR_CODES,
  inferenceConfig,
  isDreamloopError,
  throwIfCancelled,
  type LoadProgress,
} from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import { bundleAdapter } from "./bundle-adapter.ts";
import type { LoadStatus } from "./bundle-runtime.ts";
import type { Bundle } from "../plan/open-bundle.ts";
import type { Engine, Graph } from "../load/engine.ts";
import type { Tensor } from "../manifest/tensor.ts";
import { REFERENCE_ADVICE, REFERENCE_STAGE } from "../load/reference-check.ts";
import { FAULT_CODES, type Fault, MANIFEST_FILE } from "../faults/fault.ts";
import { externalDataOf } from "../check/check-graphs.ts";
import type { StructureOptions } from "../check/check-structure.ts";

/** Steps that are run: the first, one on what it left behind, and one more. */
const CHECKED_STEPS = 3;

/** What the third phase needs. */
export interface RunCheckOptions extends StructureOptions {
  /** The bundle; its first two phases have passed. */
  readonly bundle: Bundle;
  /** What runs its graphs. */
  readonly engine: Engine;
  /** Told about progress. */
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
  /** Cancels the work. */
  readonly signal?: AbortSignal | undefined;
}

/** What the third phase found. */
export interface RunCheck {
  /** All faults. */
  readonly faults: readonly Fault[];
  /** How the load went; absent when it failed. */
  readonly status?: LoadStatus;
}

/**
 * The third phase of a check: every graph is loaded, then a few steps are run with neutral action and compared with the reference
 * frames. All graphs that fail are reported.
 */
export async function checkRun(options: RunCheckOptions): Promise<RunCheck> {
  const { bundle, engine, domains, samplers, onProgress, signal } = options;
  const faults: Fault[] = [];
  const names = Object.keys(bundle.manifest.graphs);
  for (const [index, name] of names.entries()) {
    throwIfCancelled(signal, "the check");
    onProgress?.({ stage: "graphs", fraction: index / names.length });
    const fault = await loadFault(bundle, engine, name);
    if (fault !== undefined) faults.push(fault);
  }
  if (faults.length > 0) return { faults };
  try {
    const once = { verifyHashes: false, warmUpSteps: CHECKED_STEPS };
    const adapter = bundleAdapter({ bundle, engine: repeatingEngine(engine), domains, samplers, ...once });
    const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {
      ...(signal === undefined ? {} : { signal }),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    await runtime.close();
    return { faults: [], status: runtime.status };
  } catch (error) {
    if (isDreamloopError(error, ERROR_CODES.cancelled) || isDreamloopError(error, ERROR_CODES.unavailable)) throw error;
    return { faults: [warmUpFault(bundle, error)] };
  }
}

async function loadFault(bundle: Bundle, engine: Engine, name: string): Promise<Fault | undefined> {
  const { files, manifest } = bundle;
  const path = manifest.graphs[name]?.file ?? "";
  try {
    const externalData = await externalDataOf(files, path);
    const graph = await engine.createGraph({ files, path, externalData }, { threads: 1 });
    await graph.close();
    return undefined;
  } catch (error) {
    if (isDreamloopError(error, ERROR_CODES.unavailable)) throw error;
    const { message } = errorToRecord(error);
    const isPrecision = /bfloat16|float8|unsupported data type/i.test(message);
    return {
      code: isPrecision ? FAULT_CODES.unsupportedPrecision : FAULT_CODES.loadFailed,
      file: path,
      path: `graphs.${name}`,
      expected: `a graph that ${engine.name} loads`,
      found: message,
      mend: isPrecision ? "Export in float32." : loadMend(message),
    };
  }
}

function loadMend(message: string): string {
  if (/parse data from external tensors/i.test(message)) {
    return "Keep small tensors such as shapes and axes in the .onnx file: save with size_threshold=1024.";
  }
  return "Export with operators and an opset that the engine knows; the reason names the one it stumbles over.";
}

/** An engine whose graphs compute everything twice and refuse to differ: what a graph draws or remembers by itself shows so. */
function repeatingEngine(engine: Engine): Engine {
  return {
    name: engine.name,
    devices: engine.devices,
    defaultThreads: engine.defaultThreads,
    memoryBytes: engine.memoryBytes,
    get openGraphs() {
      return engine.openGraphs;
    },
    facts: (device) => engine.facts(device),
    createGraph: async (source, options) => repeatingGraph(await engine.createGraph(source, options), source.path),
  };
}

function repeatingGraph(graph: Graph, path: string): Graph {
  return {
    inputs: graph.inputs,
    outputs: graph.outputs,
    close: () => graph.close(),
    run: async (feeds, outputNames) => {
      const first = await graph.run(feeds, outputNames);
      const second = await graph.run(feeds, outputNames);
      for (const name of outputNames) {
        const [one, two] = [first[name], second[name]];
        if (one !== undefined && two !== undefined && isSameTensor(one, two)) continue;
        throw new DreamloopError(
          ERROR_CODES.stepFailed,
          `graph ${path}: its output ${JSON.stringify(name)} was another one when it ran again on the same inputs`,
          { details: { notRepeatable: path } },
        );
      }
      return first;
    },
  };
}

function isSameTensor(one: Tensor, two: Tensor): boolean {
  const [first, second] = [bytesOf(one), bytesOf(two)];
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}

function bytesOf({ data }: Tensor): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function warmUpFault(bundle: Bundle, error: unknown): Fault {
  const { code, message, details } = errorToRecord(error);
  if (typeof details.notRepeatable === "string") {
    return {
      code: FAULT_CODES.notRepeatable,
      file: details.notRepeatable,
      path: "pipeline",
      expected: "the same numbers for the same inputs",
      found: message,
      mend: "Give the graph its noise as an input (noise:NAME), and its memory as a state.",
    };
  }
  if (details.stage === REFERENCE_STAGE) return referenceFault(bundle, String(details.found));
  const isBadFrame = code === ERROR_CODES.badFrame;
  return {
    code: isBadFrame ? FAULT_CODES.badFrame : FAULT_CODES.warmUp,
    file: bundle.files.location,
    path: "pipeline",
    expected: isBadFrame ? "finite values in every frame" : "a step that runs with the neutral action",
    found: message,
    mend: isBadFrame
      ? "Look for a division by zero or an overflow in the graphs, and for inputs in the wrong unit."
      : "The message names the graph or input that it stumbles over.",
  };
}

function referenceFault({ manifest }: Bundle, found: string): Fault {
  const { file = MANIFEST_FILE, minimumPsnr } = manifest.referenceFrames ?? {};
  return {
    code: FAULT_CODES.referenceFrames,
    file,
    path: "referenceFrames",
    expected: `the reference frames, or in another environment a PSNR of at least ${minimumPsnr} dB`,
    found,
    mend: REFERENCE_ADVICE,
  };
}
