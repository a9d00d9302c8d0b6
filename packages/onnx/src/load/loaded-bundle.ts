import { type LoadProgress, throwIfCancelled } from "@dreamloop/core";
import { externalDataOf } from "../check/check-graphs.ts";
import { checkHashes } from "../check/check-hashes.ts";
import { checkStructure, type StructureOptions } from "../check/check-structure.ts";
import { bundleError } from "../faults/fault.ts";
import { bytesPerElement, type Tensor, type TensorData, type TensorDtype, tensorOf } from "../manifest/tensor.ts";
import type { ConstantDeclaration } from "../manifest/world-manifest.ts";
import type { Bundle } from "../plan/open-bundle.ts";
import type { Engine, EngineFacts, Graph } from "./engine.ts";
import type { ReferenceCheck } from "./reference-check.ts";
import type { Closable } from "./shared-loads.ts";

/** What a load needs. */
export interface LoadOptions extends StructureOptions {
  /** The bundle. */
  readonly bundle: Bundle;
  /** What runs its graphs. */
  readonly engine: Engine;
  /** Threads of a run. */
  readonly threads: number;
  /** What the graphs run on; default the engine's first device. */
  readonly device?: string | undefined;
  /** What large products compute in; default fp32. */
  readonly precision?: "fp32" | "fp16" | undefined;
  /** Whether the SHA-256 of every file is compared first. */
  readonly verifyHashes: boolean;
}

/** The weights of a bundle in memory, shared by all sessions. */
export class LoadedBundle implements Closable {
  /** The graphs by name. */
  readonly graphs: ReadonlyMap<string, Graph>;
  /** The constants by name. */
  readonly constants: ReadonlyMap<string, Tensor>;
  /** What runs the graphs. */
  readonly engine: EngineFacts;
  /** Settings whose warm-up has passed the frame check, and what came of its comparison with the reference frames. */
  readonly warmedUp = new Map<string, ReferenceCheck>();
  #closing: Promise<void> | undefined;

  /** Takes over the graphs: `close` frees them. */
  constructor(graphs: ReadonlyMap<string, Graph>, constants: ReadonlyMap<string, Tensor>, engine: EngineFacts) {
    this.graphs = graphs;
    this.constants = constants;
    this.engine = engine;
  }

  /** Frees all graphs; idempotent. */
  close(): Promise<void> {
    this.#closing ??= closeAll(this.graphs.values());
    return this.#closing;
  }
}

/**
 * Checks a bundle and loads its graphs one by one. Throws `bundle_invalid` with every fault of the first two phases, what the
 * engine throws, or `cancelled`; whatever had been loaded is freed then.
 */
export async function loadGraphs(
  options: LoadOptions,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<LoadedBundle> {
  const { bundle, engine, threads, device, precision } = options;
  const { files, manifest } = bundle;
  onProgress({ stage: "check" });
  const { faults } = await checkStructure(files, options);
  if (faults.length > 0) throw bundleError(files.location, faults);
  throwIfCancelled(signal, "the load");
  if (options.verifyHashes) {
    const tell = (fraction: number): void => onProgress({ stage: "hashes", fraction });
    const wrong = await checkHashes(files, manifest, { onProgress: tell, signal });
    if (wrong.length > 0) throw bundleError(files.location, wrong);
  }
  const facts = await engine.facts(device);
  const constants = await readConstants(bundle);
  const graphs = new Map<string, Graph>();
  try {
    const names = Object.keys(manifest.graphs);
    for (const [index, name] of names.entries()) {
      throwIfCancelled(signal, "the load");
      onProgress({ stage: "weights", fraction: index / names.length });
      const path = manifest.graphs[name]?.file ?? "";
      const externalData = await externalDataOf(files, path);
      graphs.set(name, await engine.createGraph({ files, path, externalData }, { threads, device, precision, signal }));
    }
    throwIfCancelled(signal, "the load");
  } catch (error) {
    await closeAll(graphs.values());
    throw error;
  }
  onProgress({ stage: "weights", fraction: 1 });
  return new LoadedBundle(graphs, constants, facts);
}

async function closeAll(graphs: Iterable<Graph>): Promise<void> {
  await Promise.all([...graphs].map((graph) => graph.close()));
}

/** The constants of a bundle; those that lie in files are read. */
async function readConstants({ files, manifest }: Bundle): Promise<ReadonlyMap<string, Tensor>> {
  const constants = new Map<string, Tensor>();
  for (const [name, declaration] of Object.entries(manifest.constants)) {
    const { dtype, shape, data, file } = declaration;
    if (file === undefined) constants.set(name, tensorOf(dtype, shape, data ?? []));
    else constants.set(name, tensorOfBytes(declaration, await files.read(file)));
  }
  return constants;
}

function tensorOfBytes({ dtype, shape }: ConstantDeclaration, bytes: Uint8Array): Tensor {
  // A copy of its own, since the bytes may lie anywhere in a larger buffer and elements have to be aligned.
  return { dtype, shape, data: arrayOver(dtype, bytes.slice().buffer, bytes.length / bytesPerElement(dtype)) };
}

/** Elements are little-endian, as is every machine that the engines run on. */
function arrayOver(dtype: TensorDtype, buffer: ArrayBufferLike, length: number): TensorData {
  switch (dtype) {
    case "float32":
      return new Float32Array(buffer, 0, length);
    case "float16":
      return new Uint16Array(buffer, 0, length);
    case "int32":
      return new Int32Array(buffer, 0, length);
    case "int64":
      return new BigInt64Array(buffer, 0, length);
    case "int8":
      return new Int8Array(buffer, 0, length);
    case "uint8":
    case "bool":
      return new Uint8Array(buffer, 0, length);
  }
}
