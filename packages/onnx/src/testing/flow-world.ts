import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import type { OnnxModelInput } from "./model-writer.ts";
import { packBundle } from "./pack-bundle.ts";
import { floatWeight, integerWeight, normalWeight } from "./weights.ts";

const WIDTH = 8;
const HEIGHT = 4;
const LATENT = 4;
const PIXELS = 3 * WIDTH * HEIGHT;
const WINDOW = 3;
const SINK = 1;
const PLACES = WINDOW + SINK;
const TOKENS = 4;

const latent = { dtype: "float32", shape: [1, LATENT] } as const;
const cache = { dtype: "float32", shape: [1, PLACES, LATENT] } as const;
const single = { dtype: "float32", shape: [1] } as const;

const prompt: OnnxModelInput = {
  inputs: [{ name: "tokens", dtype: "int64", shape: [1, TOKENS] }],
  outputs: [{ name: "embedding", ...latent }],
  nodes: [
    { op: "Cast", inputs: ["tokens"], outputs: ["numbers"], attributes: { to: 1 } },
    { op: "Mul", inputs: ["numbers", "scale"], outputs: ["embedding"] },
  ],
  initializers: [floatWeight("scale", [1], [0.1])],
};

/** Moves the latent towards what prompt, controls and the remembered latents call for. */
const denoise: OnnxModelInput = {
  inputs: [
    { name: "latent", ...latent },
    { name: "level", ...single },
    { name: "embedding", ...latent },
    { name: "controls", dtype: "float32", shape: [1, 2] },
    { name: "cache", ...cache },
    { name: "mask", dtype: "float32", shape: [1, PLACES, 1] },
  ],
  outputs: [{ name: "velocity", ...latent }],
  nodes: [
    { op: "Mul", inputs: ["cache", "mask"], outputs: ["valid"] },
    { op: "ReduceSum", inputs: ["valid", "axis"], outputs: ["context"], attributes: { keepdims: 0 } },
    { op: "MatMul", inputs: ["controls", "steering"], outputs: ["push"] },
    { op: "MatMul", inputs: ["context", "memory"], outputs: ["pull"] },
    { op: "Add", inputs: ["embedding", "push"], outputs: ["wish"] },
    { op: "Add", inputs: ["wish", "pull"], outputs: ["sum"] },
    { op: "Tanh", inputs: ["sum"], outputs: ["goal"] },
    { op: "Sub", inputs: ["latent", "goal"], outputs: ["away"] },
    { op: "Add", inputs: ["level", "half"], outputs: ["gain"] },
    { op: "Mul", inputs: ["away", "gain"], outputs: ["velocity"] },
  ],
  initializers: [
    integerWeight("axis", [1]),
    normalWeight("steering", [2, LATENT], 1),
    normalWeight("memory", [LATENT, LATENT], 0.2),
    floatWeight("half", [1], [0.5]),
  ],
};

/** Turns a latent into an entry of the cache; the position turns each entry a little. */
const remember: OnnxModelInput = {
  inputs: [
    { name: "latent", ...latent },
    { name: "position", dtype: "int64", shape: [1] },
  ],
  outputs: [{ name: "entry", dtype: "float32", shape: [1, 1, LATENT] }],
  nodes: [
    { op: "Mod", inputs: ["position", "period"], outputs: ["phase"] },
    { op: "Cast", inputs: ["phase"], outputs: ["angle"], attributes: { to: 1 } },
    { op: "Mul", inputs: ["angle", "turn"], outputs: ["shift"] },
    { op: "Add", inputs: ["latent", "shift"], outputs: ["shifted"] },
    { op: "Unsqueeze", inputs: ["shifted", "axis"], outputs: ["entry"] },
  ],
  initializers: [integerWeight("period", [7]), floatWeight("turn", [1], [0.05]), integerWeight("axis", [1])],
};

const decodeFirst: OnnxModelInput = {
  inputs: [{ name: "latent", ...latent }],
  outputs: [{ name: "frames", dtype: "float32", shape: [1, 3, HEIGHT, WIDTH] }],
  nodes: [
    { op: "MatMul", inputs: ["latent", "picture"], outputs: ["values"] },
    { op: "Sigmoid", inputs: ["values"], outputs: ["bounded"] },
    { op: "Reshape", inputs: ["bounded", "shape"], outputs: ["frames"] },
  ],
  initializers: [normalWeight("picture", [LATENT, PIXELS], 0.8), integerWeight("shape", [1, 3, HEIGHT, WIDTH])],
};

/** Two frames: one half way from the latent before, one of the latent itself. */
const decode: OnnxModelInput = {
  inputs: [
    { name: "latent", ...latent },
    { name: "before", ...latent },
  ],
  outputs: [{ name: "frames", dtype: "float32", shape: [2, 3, HEIGHT, WIDTH] }],
  nodes: [
    { op: "Add", inputs: ["latent", "before"], outputs: ["sum"] },
    { op: "Mul", inputs: ["sum", "half"], outputs: ["between"] },
    { op: "Concat", inputs: ["between", "latent"], outputs: ["both"], attributes: { axis: 0 } },
    { op: "MatMul", inputs: ["both", "picture"], outputs: ["values"] },
    { op: "Sigmoid", inputs: ["values"], outputs: ["bounded"] },
    { op: "Reshape", inputs: ["bounded", "shape"], outputs: ["frames"] },
  ],
  initializers: [
    floatWeight("half", [1], [0.5]),
    normalWeight("picture", [LATENT, PIXELS], 0.8),
    integerWeight("shape", [2, 3, HEIGHT, WIDTH]),
  ],
};

const sample: WorldManifestInput["pipeline"]["step"][number] = {
  type: "sample",
  latent: "noise:latent",
  graph: "denoise",
  inputs: {
    latent: "sampler:latent",
    level: "sampler:level",
    embedding: "value:embedding",
    controls: "step:controls",
    cache: "state:memory",
    mask: "state:memory/mask",
  },
  prediction: "velocity",
  output: "value:latent",
  schedules: [
    [1, 0],
    [1, 0.6, 0],
    [1, 0.75, 0.5, 0.25, 0],
  ],
  defaultSteps: 2,
};

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "toy-flow",
  title: "Toy: flow matching",
  description: "Patterns that follow a prompt, two controls and a short memory; a first step unlike the others.",
  licence: "Apache-2.0",
  model: { parameters: 0 },
  video: {
    width: WIDTH,
    height: HEIGHT,
    framesPerSecond: 10,
    framesPerStep: 2,
    firstStepFrames: 1,
    layout: "tchw",
    range: "unit",
  },
  inputs: {
    initial: {
      prompt: {
        type: "prompt",
        dtype: "int64",
        shape: [1, TOKENS],
        vocabulary: { words: { calm: 1, wild: 2, warm: 3, cold: 4 } },
        default: "calm",
        suggestions: ["calm warm", "wild", "cold"],
        updatePolicy: "step_boundary",
      },
    },
    step: {
      controls: {
        type: "vector",
        dtype: "float32",
        shape: [1, 2],
        components: [
          { from: "driver_command.throttle", scale: 4, unit: "m/s2", neutral: 0, deviation: 4 },
          { from: "driver_command.steer", scale: 0.6, unit: "rad", neutral: 0, deviation: 0.6 },
        ],
      },
    },
  },
  randomStreams: ["latent", "memory"],
  state: {
    memory: { update: "append", dtype: "float32", shape: [1, PLACES, LATENT], axis: 1, window: WINDOW, sink: SINK },
    last: { update: "replace", dtype: "float32", shape: [1, LATENT] },
  },
  graphs: {
    prompt: { role: "prompt", file: "prompt.onnx", ...ports(prompt) },
    denoise: { role: "denoise", file: "denoise.onnx", ...ports(denoise) },
    remember: { role: "cache", file: "remember.onnx", ...ports(remember) },
    decode_first: { role: "decode", file: "decode_first.onnx", ...ports(decodeFirst) },
    decode: { role: "decode", file: "decode.onnx", ...ports(decode) },
  },
  pipeline: {
    condition: [
      {
        type: "graph",
        graph: "prompt",
        inputs: { tokens: "initial:prompt" },
        outputs: { embedding: "value:embedding" },
      },
    ],
    firstStep: [
      sample,
      { type: "graph", graph: "decode_first", inputs: { latent: "value:latent" }, outputs: { frames: "frames" } },
    ],
    step: [
      sample,
      {
        type: "graph",
        graph: "decode",
        inputs: { latent: "value:latent", before: "state:last" },
        outputs: { frames: "frames" },
      },
    ],
    finalize: [
      { type: "add_noise", latent: "value:latent", noise: "noise:memory", level: 0.15, output: "value:noisy" },
      { type: "set", from: "value:latent", to: "state:last" },
      {
        type: "graph",
        graph: "remember",
        inputs: { latent: "value:noisy", position: "state:memory/position" },
        outputs: { entry: "state:memory" },
      },
    ],
  },
};

/**
 * A tiny world with all that a large one may have: flow matching, a cache with window and sink, a replaced state, a prompt of
 * words, two frames a step, a first step unlike the others.
 */
export function toyFlowWorld(digest: Digest): BundleContents {
  return packBundle({
    manifest,
    models: { prompt, denoise, remember, decode_first: decodeFirst, decode },
    digest,
  });
}

function ports({ inputs, outputs }: OnnxModelInput): Pick<WorldManifestInput["graphs"][string], "inputs" | "outputs"> {
  const byName = (list: OnnxModelInput["inputs"]): Record<string, { dtype: "float32"; shape: number[] }> =>
    Object.fromEntries(
      list.map(({ name, dtype, shape }) => [name, { dtype: dtype as "float32", shape: [...shape] as number[] }]),
    );
  return { inputs: byName(inputs), outputs: byName(outputs) };
}
