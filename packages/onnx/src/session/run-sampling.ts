import { floatsOf, floatTensor, type Tensor } from "../manifest/tensor.ts";
import type { Source } from "../plan/reference.ts";
import { settledSettings, type PredictionCall, type Sampler } from "../plan/samplers/sampler.ts";
import type { PlannedInput, PlannedSample } from "../plan/world-plan.ts";
import { applyTensorOp, concatTensors } from "./apply-tensor-op.ts";
import type { RunScope, SamplerValues } from "./run-scope.ts";

/** What sampling needs of its surroundings. */
export interface SamplingOptions {
  /** The sampler. */
  readonly sampler: Sampler;
  /** Denoising steps; absent: the item's default. */
  readonly denoisingSteps: number | undefined;
  /** What the item reads and writes. */
  readonly scope: RunScope;
  /** Runs the item's graph and gives the prediction as the graph does. */
  readonly callGraph: (inputs: readonly PlannedInput[], values: SamplerValues) => Promise<Tensor>;
}

/** Runs a sample item and gives the finished latent. */
export async function runSampling(item: PlannedSample, options: SamplingOptions): Promise<Tensor> {
  const { sampler, scope, denoisingSteps } = options;
  const { dtype, shape } = item.latent;
  // The sampler writes into the latent, and what it starts from may be looked at again.
  const latent = Float32Array.from(floatsOf(scope.resolve(item.start, item.latent)));
  const stream = item.start.kind === "noise" ? item.start.name : `sampler.${item.graph}`;
  const context = item.context && scope.resolve(item.context.source, item.context.signature);
  const scales = item.branches.map(({ scale }) => numberOf(scale, scope));
  const rescale = numberOf(item.rescale, scope);
  await sampler.sample({
    latent,
    levels: item.schedules.get(denoisingSteps ?? item.defaultSteps) as readonly number[],
    settings: settledSettings(sampler, item.settings),
    predict: async (call) => {
      const values = samplerValues(item, call, context);
      const read = async (inputs: readonly PlannedInput[]): Promise<Float32Array> =>
        floatsOf(sampledPart(item, await options.callGraph(inputs, values)));
      const prediction = await read(item.inputs);
      if (item.branches.length === 0) return prediction;
      const others: Float32Array[] = [];
      for (const { inputs } of item.branches) others.push(await read(inputs));
      return guided({ prediction, others, scales, rescale });
    },
    noise: (index) => scope.freshNoise(stream, index + 1, latent.length),
  });
  return floatTensor(dtype, shape, latent);
}

/**
 * Classifier-free guidance (Ho and Salimans, 2022) with any number of branches: prediction + Σ (scale − 1) · (prediction − other), which
 * for one branch is other + scale · (prediction − other). `rescale` brings the deviation back towards that of the prediction (Lin et al., 2023).
 */
export function guided({
  prediction,
  others,
  scales,
  rescale,
}: {
  readonly prediction: Float32Array;
  readonly others: readonly Float32Array[];
  readonly scales: readonly number[];
  readonly rescale: number;
}): Float32Array {
  const result = new Float32Array(prediction.length);
  const [only] = others;
  for (let at = 0; at < result.length; at += 1) {
    if (others.length === 1) {
      result[at] = only[at] + scales[0] * (prediction[at] - only[at]);
      continue;
    }
    let value = prediction[at];
    others.forEach((other, branch) => (value += (scales[branch] - 1) * (prediction[at] - other[at])));
    result[at] = value;
  }
  if (rescale === 0) return result;
  const spread = deviationOf(result);
  const factor = spread === 0 ? 1 : rescale * (deviationOf(prediction) / spread) + 1 - rescale;
  return result.map((value) => value * factor);
}

function deviationOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return Math.sqrt(squares / Math.max(1, values.length - 1));
}

function numberOf(value: number | Source, scope: RunScope): number {
  if (typeof value === "number") return value;
  return Number(scope.resolve(value, { dtype: "float32", shape: [1] }).data[0]);
}

function samplerValues(
  { latent, context }: PlannedSample,
  { latent: floats, level, index }: PredictionCall,
  before: Tensor | undefined,
): SamplerValues {
  // A copy for each call: the engine may keep what it was fed for the tensor, and samplers change the latent in place.
  const sampled = floatTensor(latent.dtype, latent.shape, floats.slice());
  if (context === undefined || before === undefined) return { latent: sampled, level, levels: [level], index };
  const count = latent.shape[context.axis];
  const levels = [...new Array<number>(context.length).fill(context.level), ...new Array<number>(count).fill(level)];
  return { latent: concatTensors([before, sampled], context.axis), level, levels, index };
}

/** Of a prediction for context and sampled frames only the latter count. */
function sampledPart({ latent, context }: PlannedSample, prediction: Tensor): Tensor {
  if (context === undefined || prediction.shape[context.axis] === latent.shape[context.axis]) return prediction;
  return applyTensorOp({ slice: { axis: context.axis, start: context.length } }, prediction);
}
