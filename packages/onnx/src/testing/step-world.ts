import type { BundleContents, Digest } from "../manifest/memory-files.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import type { OnnxModelInput } from "./model-writer.ts";
import { packBundle } from "./pack-bundle.ts";
import { floatWeight, integerWeight, normalWeight } from "./weights.ts";

const WIDTH = 6;
const HEIGHT = 5;
const VALUES = WIDTH * HEIGHT * 3;
const ACTIONS = 3;

/** The next picture from the last one and the action, in one go. */
const step: OnnxModelInput = {
  inputs: [
    { name: "field", dtype: "float32", shape: [1, VALUES] },
    { name: "action", dtype: "float32", shape: [1, ACTIONS] },
    { name: "palette", dtype: "float32", shape: [3] },
  ],
  outputs: [
    { name: "next_field", dtype: "float32", shape: [1, VALUES] },
    { name: "picture", dtype: "uint8", shape: [1, HEIGHT, WIDTH, 3] },
  ],
  nodes: [
    { op: "MatMul", inputs: ["action", "brush"], outputs: ["stroke"] },
    { op: "Mul", inputs: ["field", "fade"], outputs: ["faded"] },
    { op: "Add", inputs: ["faded", "stroke"], outputs: ["sum"] },
    { op: "Tanh", inputs: ["sum"], outputs: ["next_field"] },
    { op: "Reshape", inputs: ["next_field", "shape"], outputs: ["pixels"] },
    { op: "Add", inputs: ["pixels", "palette"], outputs: ["coloured"] },
    { op: "Sigmoid", inputs: ["coloured"], outputs: ["bounded"] },
    { op: "Mul", inputs: ["bounded", "white"], outputs: ["scaled"] },
    { op: "Cast", inputs: ["scaled"], outputs: ["picture"], attributes: { to: 2 } },
  ],
  initializers: [
    normalWeight("brush", [ACTIONS, VALUES], 0.5),
    floatWeight("fade", [1], [0.97]),
    integerWeight("shape", [1, HEIGHT, WIDTH, 3]),
    floatWeight("white", [1], [255]),
  ],
};

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "toy-step",
  title: "Toy: one graph",
  description: "A picture that three actions paint into; one graph makes the next frame from the last.",
  licence: "Apache-2.0",
  video: { width: WIDTH, height: HEIGHT, framesPerSecond: 20, layout: "thwc", range: "full" },
  inputs: {
    initial: {
      palette: {
        type: "choice",
        dtype: "float32",
        shape: [3],
        choices: { dawn: [0.5, 0, -0.5], dusk: [-0.5, 0, 0.5] },
        default: "dawn",
        updatePolicy: "step_boundary",
      },
    },
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
  actions: { left: { keys: ["KeyA"], pad: ["Button14"] }, right: { keys: ["KeyD"], pad: ["Button15"] } },
  state: { field: { update: "replace", dtype: "float32", shape: [1, VALUES] } },
  graphs: {
    step: {
      role: "step",
      file: "step.onnx",
      inputs: {
        field: { dtype: "float32", shape: [1, VALUES] },
        action: { dtype: "float32", shape: [1, ACTIONS] },
        palette: { dtype: "float32", shape: [3] },
      },
      outputs: {
        next_field: { dtype: "float32", shape: [1, VALUES] },
        picture: { dtype: "uint8", shape: [1, HEIGHT, WIDTH, 3] },
      },
    },
  },
  pipeline: {
    step: [
      {
        type: "graph",
        graph: "step",
        inputs: { field: "state:field", action: "step:action", palette: "initial:palette" },
        outputs: { next_field: "state:field", picture: "frames" },
      },
    ],
  },
};

/** A tiny world of another shape: a single graph without a sampler, actions by name, 8-bit frames. */
export function toyStepWorld(digest: Digest): BundleContents {
  return packBundle({
    manifest,
    models: { step },
    digest,
  });
}
