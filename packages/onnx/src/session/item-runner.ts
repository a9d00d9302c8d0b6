import { DreamloopError, ERROR_CODES, isDreamloopError, throwIfCancelled } from "@dreamloop/core";
import type { Graph } from "../load/engine.ts";
import {
  copyTensor,
  describeSignature,
  firstNonFinite,
  floatsOf,
  floatTensor,
  fitsShape,
  type Tensor,
  type TensorSignature,
} from "../manifest/tensor.ts";
import type {
  PlannedAddNoise,
  PlannedGraphCall,
  PlannedInput,
  PlannedItem,
  PlannedSample,
} from "../plan/world-plan.ts";
import { settledSettings, type Sampler } from "../plan/samplers/sampler.ts";
import { applyTensorOp, concatTensors } from "./apply-tensor-op.ts";
import { runSampling } from "./run-sampling.ts";
import type { RunScope, SamplerValues } from "./run-scope.ts";
import type { SessionWorld } from "./session-world.ts";

/** Seconds spent in each graph, by its name. */
export type GraphTimes = Map<string, number>;

/** What a run of items needs. */
export interface ItemRunOptions {
  /** What all sessions share. */
  readonly world: SessionWorld;
  /** What the items read and write. */
  readonly scope: RunScope;
  /** Added to as graphs run. */
  readonly times: GraphTimes;
  /** Ends the run between two graphs. */
  readonly signal: AbortSignal | undefined;
}

/** Runs items in order; those whose condition does not hold are left out. */
export async function runItems(items: readonly PlannedItem[], options: ItemRunOptions): Promise<void> {
  for (const item of items) {
    if (!options.scope.holds(item.condition)) continue;
    switch (item.type) {
      case "graph":
        await runGraphItem(item, options);
        break;
      case "sample":
        await runSampleItem(item, options);
        break;
      case "add_noise":
        runAddNoise(item, options);
        break;
      case "set":
        // What was given may be memory that its owner writes to again.
        options.scope.write(item.targets, copyTensor(options.scope.resolve(item.from, item.signature)));
        break;
      case "transform": {
        const given = copyTensor(options.scope.resolve(item.from, item.signature));
        options.scope.write(
          item.targets,
          item.ops.reduce((tensor, op) => applyTensorOp(op, tensor), given),
        );
        break;
      }
      case "concat": {
        const parts = item.parts.map(({ source, signature }) => options.scope.resolve(source, signature));
        options.scope.write(item.targets, concatTensors(parts, item.axis));
        break;
      }
    }
  }
}

/** Throws `step_failed` when something that is to be kept as state holds NaN or infinity. */
export function refuseBrokenState(writes: ReadonlyMap<string, Tensor>): void {
  for (const [name, tensor] of writes) {
    const at = firstNonFinite(tensor);
    if (at < 0) continue;
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `state ${JSON.stringify(name)}: expected finite values, found ${String(floatsOf(tensor)[at])} at index ${at} of ${tensor.data.length}; the step is discarded`,
      { details: { state: name, index: at } },
    );
  }
}

async function runGraphItem(item: PlannedGraphCall, options: ItemRunOptions): Promise<void> {
  const ports = item.outputs.map(({ port }) => port);
  const results = await callGraph(item.graph, item.inputs, ports, options);
  for (const { port, signature, targets } of item.outputs) {
    const tensor = results[port];
    checkResult(tensor, signature, item.graph, port);
    options.scope.write(targets, tensor);
  }
}

async function callGraph(
  name: string,
  inputs: readonly PlannedInput[],
  outputs: readonly string[],
  options: ItemRunOptions,
  sampler?: SamplerValues,
): Promise<Readonly<Record<string, Tensor>>> {
  const { world, scope, times, signal } = options;
  throwIfCancelled(signal, "the step");
  const feeds: Record<string, Tensor> = {};
  for (const { port, source, signature } of inputs) feeds[port] = scope.resolve(source, signature, sampler);
  const { clock } = world;
  const startSeconds = clock?.nowSeconds() ?? 0;
  try {
    return await (world.graphs.get(name) as Graph).run(feeds, outputs);
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(ERROR_CODES.stepFailed, `graph ${JSON.stringify(name)} failed: ${message}`, {
      cause: error,
    });
  } finally {
    if (clock !== undefined) times.set(name, (times.get(name) ?? 0) + clock.nowSeconds() - startSeconds);
  }
}

function checkResult(
  tensor: Tensor | undefined,
  signature: TensorSignature,
  graph: string,
  port: string,
): asserts tensor is Tensor {
  if (tensor?.dtype === signature.dtype && fitsShape(signature.shape, tensor.shape)) return;
  const found = tensor === undefined ? "nothing" : describeSignature(tensor);
  throw new DreamloopError(
    ERROR_CODES.stepFailed,
    `graph ${JSON.stringify(graph)}, output ${JSON.stringify(port)}: expected ${describeSignature(signature)}, found ${found}`,
  );
}

async function runSampleItem(item: PlannedSample, options: ItemRunOptions): Promise<void> {
  const { world, scope } = options;
  const latent = await runSampling(item, {
    sampler: samplerOf(world, item.sampler),
    denoisingSteps: world.denoisingSteps,
    scope,
    callGraph: async (inputs, values) => {
      const results = await callGraph(item.graph, inputs, [item.prediction], options, values);
      const tensor = results[item.prediction];
      checkPrediction(item, tensor);
      return tensor;
    },
  });
  scope.write(item.targets, latent);
}

/** A prediction is for the frames that are sampled, or for the context before them too. */
function checkPrediction(item: PlannedSample, tensor: Tensor | undefined): asserts tensor is Tensor {
  const { latent, context } = item;
  const whole = latent.shape.map((length, axis) => length + (axis === context?.axis ? context.length : 0));
  if (tensor !== undefined && tensor.dtype === latent.dtype && fitsShape(whole, tensor.shape)) return;
  checkResult(tensor, latent, item.graph, item.prediction);
}

function runAddNoise(item: PlannedAddNoise, { world, scope }: ItemRunOptions): void {
  const latent = scope.resolve(item.latent, item.signature);
  const noise = scope.resolve(item.noise, item.signature);
  const sampler = samplerOf(world, item.sampler);
  const settings = settledSettings(sampler, item.settings);
  const floats = sampler.addNoise(floatsOf(latent), floatsOf(noise), item.level, settings);
  scope.write(item.targets, floatTensor(latent.dtype, latent.shape, floats));
}

function samplerOf(world: SessionWorld, name: string): Sampler {
  return world.samplers[name];
}
