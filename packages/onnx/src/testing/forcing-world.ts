import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { OnnxModelInput } from "./model-writer.ts";
import { packBundle } from "./pack-bundle.ts";
import { integerWeight, normalWeight } from "./weights.ts";

const LATENT = 6;
const PAST = 3;
const FRAMES = PAST + 1;
const SIZE = 8;
const CONTROLS = 2;
const window = { dtype: "float32", shape: [1, FRAMES, LATENT] } as const;

/** Predicts v for every frame of the window: each is mixed with the mean of all, its level and the controls. */
const dit: OnnxModelInput = {
  inputs: [
    { name: "frames", ...window },
    { name: "levels", dtype: "int64", shape: [1, FRAMES] },
    { name: "controls", dtype: "float32", shape: [1, CONTROLS] },
  ],
  outputs: [{ name: "v", ...window }],
  nodes: [
    { op: "MatMul", inputs: ["frames", "own"], outputs: ["each"] },
    { op: "ReduceMean", inputs: ["frames"], outputs: ["mean"], attributes: { axes: [1], keepdims: 1 } },
    { op: "MatMul", inputs: ["mean", "shared"], outputs: ["mixed"] },
    { op: "Cast", inputs: ["levels"], outputs: ["numbers"], attributes: { to: 1 } },
    { op: "Mul", inputs: ["numbers", "scale"], outputs: ["scaled"] },
    { op: "Unsqueeze", inputs: ["scaled", "last"], outputs: ["told"] },
    { op: "MatMul", inputs: ["controls", "steering"], outputs: ["push"] },
    { op: "Add", inputs: ["each", "mixed"], outputs: ["sum"] },
    { op: "Add", inputs: ["sum", "told"], outputs: ["with_levels"] },
    { op: "Add", inputs: ["with_levels", "push"], outputs: ["wish"] },
    { op: "Tanh", inputs: ["wish"], outputs: ["v"] },
  ],
  initializers: [
    normalWeight("own", [LATENT, LATENT], 0.4),
    normalWeight("shared", [LATENT, LATENT], 0.4),
    normalWeight("steering", [CONTROLS, LATENT], 0.5),
    { name: "scale", dtype: "float32", shape: [1], data: Float32Array.of(0.001) },
    integerWeight("last", [2]),
  ],
};

const decoder: OnnxModelInput = {
  inputs: [{ name: "latent", dtype: "float32", shape: [1, LATENT] }],
  outputs: [{ name: "picture", dtype: "float32", shape: [1, 3 * SIZE * SIZE] }],
  nodes: [
    { op: "MatMul", inputs: ["latent", "pixels"], outputs: ["values"] },
    { op: "Sigmoid", inputs: ["values"], outputs: ["picture"] },
  ],
  initializers: [normalWeight("pixels", [LATENT, 3 * SIZE * SIZE], 0.8)],
};

const float = (shape: readonly number[]): { dtype: "float32"; shape: number[] } => ({
  dtype: "float32",
  shape: [...shape],
});

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "toy-forcing",
  title: "Toy: diffusion forcing",
  description:
    "Like Oasis: DDIM with v prediction on the newest frame of a window, the past noised anew to a low level of its own.",
  licence: "Apache-2.0",
  video: { width: SIZE, height: SIZE, framesPerSecond: 20, layout: "tchw", range: "unit" },
  inputs: {
    step: {
      controls: {
        type: "vector",
        ...float([1, CONTROLS]),
        components: [
          { from: "camera_motion.moveForward", unit: "1", neutral: 0 },
          { from: "look_delta.deltaX", scale: 0.01, unit: "rad", neutral: 0 },
        ],
      },
    },
  },
  randomStreams: ["frame", "past"],
  state: { past: { update: "replace", ...float([1, PAST, LATENT]) } },
  graphs: {
    dit: {
      role: "denoise",
      file: "dit.onnx",
      inputs: {
        frames: float(window.shape),
        levels: { dtype: "int64", shape: [1, FRAMES] },
        controls: float([1, CONTROLS]),
      },
      outputs: { v: float(window.shape) },
    },
    decoder: {
      role: "decode",
      file: "decoder.onnx",
      inputs: { latent: float([1, LATENT]) },
      outputs: { picture: float([1, 3 * SIZE * SIZE]) },
    },
  },
  pipeline: {
    step: [
      {
        type: "add_noise",
        sampler: "ddim",
        settings: { betas: "sigmoid" },
        latent: "state:past",
        noise: "noise:past",
        level: 15,
        output: "value:past",
      },
      {
        type: "sample",
        sampler: "ddim",
        settings: { betas: "sigmoid", predicts: "v", clip: 4 },
        latent: "noise:frame",
        graph: "dit",
        context: { from: "value:past", axis: 1, level: 15 },
        inputs: { frames: "sampler:latent", levels: "sampler:levels", controls: "step:controls" },
        prediction: "v",
        output: "value:frame",
        schedules: [
          [960, 500, -1],
          [960, 720, 480, 240, -1],
        ],
        defaultSteps: 4,
      },
      { type: "transform", from: "value:frame", do: [{ squeeze: 1 }], to: "value:latent" },
      { type: "graph", graph: "decoder", inputs: { latent: "value:latent" }, outputs: { picture: "value:flat" } },
      { type: "transform", from: "value:flat", do: [{ reshape: [1, 3, SIZE, SIZE] }], to: "frames" },
      { type: "concat", from: ["state:past", "value:frame"], axis: 1, to: "value:window" },
      { type: "transform", from: "value:window", do: [{ slice: { axis: 1, start: -PAST } }], to: "state:past" },
    ],
  },
};

/** A tiny world of the family of Oasis: diffusion forcing with a rolling window, each frame with a level of its own. */
export function toyForcingWorld(digest: Digest): BundleContents {
  return packBundle({ manifest, models: { dit, decoder }, digest });
}
