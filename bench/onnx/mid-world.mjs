import { randomStream } from "@dreamloop/core";
import { packBundle } from "@dreamloop/onnx/testing";

const LATENT = 16;
const WIDTH = 128;
const ROWS = 14;
const COLUMNS = 24;
const SCALE = 16;
const WINDOW = 4;
const LAYERS = 12;

const latent = { dtype: /** @type {const} */ ("float32"), shape: [1, LATENT, ROWS, COLUMNS] };
const single = { dtype: /** @type {const} */ ("float32"), shape: [1] };
const cache = { dtype: /** @type {const} */ ("float32"), shape: [1, WINDOW, LATENT, ROWS, COLUMNS] };
const entry = { dtype: /** @type {const} */ ("float32"), shape: [1, 1, LATENT, ROWS, COLUMNS] };
const picture = { dtype: /** @type {const} */ ("float32"), shape: [1, 3, ROWS * SCALE, COLUMNS * SCALE] };

/** @param {string} name @param {readonly number[]} shape @param {number} deviation */
function weight(name, shape, deviation) {
  const data = new Float32Array(shape.reduce((product, length) => product * length, 1));
  randomStream({ seed: 0, step: 0, stream: name }).fillNormal(data);
  return { name, dtype: /** @type {const} */ ("float32"), shape, data: data.map((value) => value * deviation) };
}

/** @param {string} name @param {readonly number[]} values */
function integers(name, values) {
  return {
    name,
    dtype: /** @type {const} */ ("int64"),
    shape: [values.length],
    data: BigInt64Array.from(values.map(BigInt)),
  };
}

/**
 * Convolutions with a tanh each, from tensor `from` to tensor `to`.
 *
 * @param {string} from @param {string} to @param {number} layers
 */
function stack(from, to, layers) {
  const names = Array.from({ length: layers }, (_, index) => (index === layers - 1 ? to : `${to}_${index}`));
  return names.flatMap((name, index) => [
    {
      op: "Conv",
      inputs: [index === 0 ? from : (names[index - 1] ?? ""), `w${index}`],
      outputs: [`${name}_sum`],
      attributes: { pads: [1, 1, 1, 1] },
    },
    { op: "Tanh", inputs: [`${name}_sum`], outputs: [name] },
  ]);
}

/**
 * Weights for such convolutions: `WIDTH` channels, but for the first input and the last output.
 *
 * @param {number} layers @param {number} first @param {number} last
 */
function stackWeights(layers, first, last) {
  return Array.from({ length: layers }, (_, index) => {
    const inner = index === 0 ? first : WIDTH;
    const outer = index === layers - 1 ? last : WIDTH;
    return weight(`w${index}`, [outer, inner, 3, 3], 0.3 / Math.sqrt(inner));
  });
}

/** @param {Readonly<Record<string, { dtype: "float32", shape: number[] }>>} ports */
function list(ports) {
  return Object.entries(ports).map(([name, port]) => ({ name, ...port }));
}

/**
 * A world as large as one that a laptop runs: a latent of 16 × 14 × 24, two denoising steps, a cache of four frames, frames
 * of 384 × 224. Its weights are random.
 *
 * @param {(bytes: Uint8Array) => string} digest
 */
export function midWorld(digest) {
  const denoise = { inputs: { latent, level: single, cache }, outputs: { velocity: latent } };
  const remember = { inputs: { latent }, outputs: { entry } };
  const decode = { inputs: { latent }, outputs: { frame: picture } };
  return packBundle({
    digest,
    manifest: {
      formatVersion: 1,
      id: "bench-mid",
      title: "Mid-size world for measurements",
      licence: "Apache-2.0",
      video: { width: COLUMNS * SCALE, height: ROWS * SCALE, framesPerSecond: 20, layout: "tchw", range: "unit" },
      inputs: {},
      randomStreams: ["latent"],
      state: { cache: { update: "append", ...cache, axis: 1, window: WINDOW } },
      graphs: {
        denoise: { role: "denoise", file: "denoise.onnx", ...denoise },
        remember: { role: "cache", file: "remember.onnx", ...remember },
        decode: { role: "decode", file: "decode.onnx", ...decode },
      },
      pipeline: {
        step: [
          {
            type: "sample",
            latent: "noise:latent",
            graph: "denoise",
            inputs: { latent: "sampler:latent", level: "sampler:level", cache: "state:cache" },
            prediction: "velocity",
            output: "value:latent",
            schedules: [[1, 0.6, 0]],
            defaultSteps: 2,
          },
          { type: "graph", graph: "decode", inputs: { latent: "value:latent" }, outputs: { frame: "frames" } },
        ],
        finalize: [
          { type: "graph", graph: "remember", inputs: { latent: "value:latent" }, outputs: { entry: "state:cache" } },
        ],
      },
    },
    models: {
      denoise: {
        inputs: list(denoise.inputs),
        outputs: list(denoise.outputs),
        nodes: [
          { op: "ReduceMean", inputs: ["cache"], outputs: ["context"], attributes: { axes: [1], keepdims: 0 } },
          { op: "Add", inputs: ["latent", "context"], outputs: ["both"] },
          { op: "Mul", inputs: ["both", "level"], outputs: ["scaled"] },
          ...stack("scaled", "velocity", LAYERS),
        ],
        initializers: stackWeights(LAYERS, LATENT, LATENT),
      },
      remember: {
        inputs: list(remember.inputs),
        outputs: list(remember.outputs),
        nodes: [...stack("latent", "kept", 2), { op: "Unsqueeze", inputs: ["kept", "axis"], outputs: ["entry"] }],
        initializers: [...stackWeights(2, LATENT, LATENT), integers("axis", [1])],
      },
      decode: {
        inputs: list(decode.inputs),
        outputs: list(decode.outputs),
        nodes: [
          ...stack("latent", "deep", 2),
          { op: "Conv", inputs: ["deep", "wide"], outputs: ["blocks"] },
          { op: "DepthToSpace", inputs: ["blocks"], outputs: ["raw"], attributes: { blocksize: SCALE } },
          { op: "Sigmoid", inputs: ["raw"], outputs: ["frame"] },
        ],
        initializers: [...stackWeights(2, LATENT, WIDTH), weight("wide", [3 * SCALE * SCALE, WIDTH, 1, 1], 0.1)],
      },
    },
  });
}
