import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { OnnxModelInput } from "./model-writer.ts";
import { packBundle } from "./pack-bundle.ts";
import { floatWeight, normalWeight } from "./weights.ts";

const SIZE = 8;
const PAST = 4;
const ACTIONS = 3;
const picture = { dtype: "float32", shape: [1, 3, SIZE, SIZE] } as const;
const past = { dtype: "float32", shape: [1, 3 * PAST, SIZE, SIZE] } as const;
const single = { dtype: "float32", shape: [1] } as const;
const actions = { dtype: "float32", shape: [1, ACTIONS] } as const;

/** The raw network F of EDM: a convolution over the noisy picture and the pictures before it, moved by level and action. */
const network: OnnxModelInput = {
  inputs: [
    { name: "noisy", ...picture },
    { name: "past", ...past },
    { name: "noise_level", ...single },
    { name: "action", ...actions },
  ],
  outputs: [{ name: "raw", ...picture }],
  nodes: [
    { op: "Concat", inputs: ["noisy", "past"], outputs: ["seen"], attributes: { axis: 1 } },
    { op: "Conv", inputs: ["seen", "kernel"], outputs: ["features"], attributes: { pads: [1, 1, 1, 1] } },
    { op: "MatMul", inputs: ["action", "steering"], outputs: ["push"] },
    { op: "Mul", inputs: ["noise_level", "slope"], outputs: ["tilt"] },
    { op: "Add", inputs: ["push", "tilt"], outputs: ["moved"] },
    { op: "Reshape", inputs: ["moved", "per_channel"], outputs: ["bias"] },
    { op: "Add", inputs: ["features", "bias"], outputs: ["sum"] },
    { op: "Tanh", inputs: ["sum"], outputs: ["raw"] },
  ],
  initializers: [
    normalWeight("kernel", [3, 3 + 3 * PAST, 3, 3], 0.12),
    normalWeight("steering", [ACTIONS, 3], 0.6),
    floatWeight("slope", [3], [0.1, -0.1, 0.05]),
    { name: "per_channel", dtype: "int64", shape: [4], data: BigInt64Array.of(1n, 3n, 1n, 1n) },
  ],
};

const ports = ({
  inputs,
  outputs,
}: OnnxModelInput): Pick<WorldManifestInput["graphs"][string], "inputs" | "outputs"> => {
  const byName = (list: OnnxModelInput["inputs"]): Record<string, { dtype: "float32"; shape: number[] }> =>
    Object.fromEntries(list.map(({ name, shape }) => [name, { dtype: "float32", shape: [...shape] as number[] }]));
  return { inputs: byName(inputs), outputs: byName(outputs) };
};

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "toy-diffusion",
  title: "Toy: diffusion in pixels",
  description:
    "Like DIAMOND: EDM with three Euler steps on the picture itself, told the last four pictures and the action.",
  licence: "Apache-2.0",
  video: { width: SIZE, height: SIZE, framesPerSecond: 15, layout: "tchw", range: "signed" },
  inputs: {
    step: {
      action: {
        type: "discrete",
        dtype: "float32",
        shape: [1, ACTIONS],
        encoding: "one_hot",
        cases: [
          { held: ["left"], value: 1 },
          { held: ["right"], value: 2 },
        ],
        neutral: 0,
      },
    },
  },
  randomStreams: ["picture"],
  state: { past: { update: "replace", ...past, shape: [...past.shape] } },
  graphs: { network: { role: "denoise", file: "network.onnx", ...ports(network) } },
  pipeline: {
    step: [
      {
        type: "sample",
        sampler: "edm",
        settings: { sigmaData: 0.5, sigmaOffset: 0.3 },
        latent: "noise:picture",
        graph: "network",
        inputs: {
          noisy: "sampler:latent",
          past: "state:past",
          noise_level: "sampler:level",
          action: "step:action",
        },
        prediction: "raw",
        output: "value:picture",
        schedules: [
          { karras: { steps: 1, least: 0.002, greatest: 5 } },
          { karras: { steps: 3, least: 0.002, greatest: 5 } },
        ],
        defaultSteps: 3,
      },
      { type: "transform", from: "value:picture", do: [{ clamp: [-1, 1] }], to: ["value:shown", "frames"] },
      { type: "concat", from: ["state:past", "value:shown"], axis: 1, to: "value:seen" },
      { type: "transform", from: "value:seen", do: [{ slice: { axis: 1, start: -3 * PAST } }], to: "state:past" },
    ],
  },
};

/** A tiny world of the family of DIAMOND: EDM on pixels with a stack of past pictures, and not one helper graph. */
export function toyDiffusionWorld(digest: Digest): BundleContents {
  return packBundle({ manifest, models: { network }, digest });
}
