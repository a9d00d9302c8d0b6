import { describe, expect, test } from "vitest";
import { readManifest } from "../manifest/read-manifest.ts";
import { planPipeline } from "./plan-world.ts";

const latent = { dtype: "float32", shape: [1, 4] };
const sample = {
  type: "sample",
  latent: "noise:latent",
  graph: "denoise",
  inputs: { x: "sampler:latent", t: "sampler:level", keys: "state:keys", length: "state:keys/length" },
  prediction: "v",
  output: "value:clean",
  schedules: [[1, 0]],
  defaultSteps: 1,
};
const decode = { type: "graph", graph: "decode", inputs: { x: "value:clean" }, outputs: { frame: "frames" } };
const remember = { type: "graph", graph: "remember", inputs: { x: "value:clean" }, outputs: { entry: "state:keys" } };

const base = {
  formatVersion: 1,
  id: "small",
  title: "Small",
  licence: "MIT",
  files: {},
  video: { width: 2, height: 3, framesPerSecond: 10, layout: "tchw", range: "unit" },
  inputs: {},
  randomStreams: ["latent"],
  state: { keys: { update: "append", dtype: "float32", shape: [1, 5, 4], axis: 1, window: 4, sink: 1 } },
  graphs: {
    denoise: {
      role: "denoise",
      file: "denoise.onnx",
      inputs: {
        x: latent,
        t: { dtype: "float32", shape: [1] },
        keys: { dtype: "float32", shape: [1, 5, 4] },
        length: { dtype: "float32", shape: [1] },
      },
      outputs: { v: latent },
    },
    decode: {
      role: "decode",
      file: "decode.onnx",
      inputs: { x: latent },
      outputs: { frame: { dtype: "float32", shape: [1, 3, 3, 2] } },
    },
    remember: {
      role: "cache",
      file: "remember.onnx",
      inputs: { x: latent },
      outputs: { entry: { dtype: "float32", shape: [1, 1, 4] } },
    },
  },
  pipeline: { step: [sample, decode], finalize: [remember] },
};

type Base = typeof base;

function faultsOf(change: object): string[] {
  const { manifest, faults } = readManifest({ ...base, ...change });
  expect(faults).toEqual([]);
  if (manifest === undefined) throw new Error("no manifest");
  return planPipeline(manifest).faults.map(({ code, path, found }) => `${code} ${path}: ${found}`);
}

const steps = (...step: unknown[]): object => ({ pipeline: { ...base.pipeline, step } });
const finalize = (...items: unknown[]): object => ({ pipeline: { ...base.pipeline, finalize: items } });
const graphs = (name: keyof Base["graphs"], change: object): object => ({
  graphs: { ...base.graphs, [name]: { ...base.graphs[name], ...change } },
});
const keys = (change: object): object => ({ state: { keys: { ...base.state.keys, ...change } } });
const image = { type: "image", required: false, dtype: "float32", shape: [1, 4], layout: "chw", range: "unit" };
const plain = { type: "tensor", dtype: "float32", shape: [1, 4] };

describe("planPipeline", () => {
  test("finds nothing wrong with a sound pipeline", () => {
    expect(faultsOf({})).toEqual([]);
  });

  test.each<[string, object, string[]]>([
    [
      "a source in no known form",
      steps({ ...sample, latent: "noise" }, decode),
      ['reference pipeline.step[0].latent: "noise"'],
    ],
    [
      "a value that nobody produces",
      steps(sample, { ...decode, inputs: { x: "value:cleen" } }),
      ['reference pipeline.step[1].inputs.x: "cleen"'],
    ],
    [
      "a value that is produced later",
      { pipeline: { ...base.pipeline, step: [decode, sample] } },
      ['reference pipeline.step[0].inputs.x: "clean"'],
    ],
    [
      "an input without a source",
      steps(sample, { ...decode, inputs: {} }),
      ["missing_key pipeline.step[1].inputs.x: nothing"],
    ],
    [
      "an input that the graph does not have",
      steps(sample, { ...decode, inputs: { x: "value:clean", y: 0 } }),
      ['reference pipeline.step[1].inputs.y: "y"'],
    ],
    [
      "an output that the graph does not have",
      steps(sample, { ...decode, outputs: { frame: "frames", mask: "value:mask" } }),
      ['reference pipeline.step[1].outputs.mask: "mask"'],
    ],
    [
      "a source of another shape",
      steps(sample, { ...decode, inputs: { x: "state:keys" } }),
      ["reference_type pipeline.step[1].inputs.x: float32[1, 5, 4]"],
    ],
    [
      "noise of two shapes from one stream",
      steps(sample, { ...sample, graph: "other", output: "value:more" }, decode),
      ['reference pipeline.step[1].graph: "other"'],
    ],
    [
      "a random stream that is not declared",
      { ...steps({ ...sample, latent: "noise:other" }, decode) },
      ['reference pipeline.step[0].latent: "other"'],
    ],
    [
      "two frames where one is due",
      graphs("decode", { outputs: { frame: { dtype: "float32", shape: [2, 3, 3, 2] } } }),
      ["frames pipeline.step[1].outputs.frame: float32[2, 3, 3, 2]"],
    ],
    [
      "frames in another layout",
      { video: { ...base.video, layout: "thwc" } },
      ["frames pipeline.step[1].outputs.frame: float32[1, 3, 3, 2]"],
    ],
    [
      "8-bit data in a range of 0 to 1",
      graphs("decode", { outputs: { frame: { dtype: "uint8", shape: [1, 3, 3, 2] } } }),
      ["frames pipeline.step[1].outputs.frame: uint8"],
    ],
    [
      "a step without frames",
      steps(sample, { ...decode, outputs: { frame: "value:frame" } }),
      ["frames pipeline.step: none"],
    ],
    [
      "frames in the finalisation",
      finalize(remember, decode),
      ['reference pipeline.finalize[1].outputs.frame: "frames"'],
    ],
    [
      "a state that is written twice",
      finalize(remember, { ...remember, inputs: { x: 0 } }),
      ["reference pipeline.finalize[1].outputs.entry: a second time"],
    ],
    [
      "a state that nobody writes",
      finalize({ ...remember, outputs: { entry: "value:entry" } }),
      ["reference state.keys: none"],
    ],
    [
      "an entry that does not fit the cache",
      graphs("remember", { outputs: { entry: { dtype: "float32", shape: [1, 4] } } }),
      ["reference_type pipeline.finalize[0].outputs.entry: float32[1, 4]"],
    ],
    [
      "a schedule that is missing",
      steps({ ...sample, defaultSteps: 3 }, decode),
      ["sampler pipeline.step[0].defaultSteps: 3"],
    ],
    [
      "two schedules of one length",
      steps(
        {
          ...sample,
          schedules: [
            [1, 0],
            [0.9, 0],
          ],
        },
        decode,
      ),
      ["sampler pipeline.step[0].schedules[1]: a second list of 2"],
    ],
    [
      "a prediction that is no output",
      steps({ ...sample, prediction: "velocity" }, decode),
      ['reference pipeline.step[0].prediction: "velocity"'],
    ],
    [
      "a graph that is never run",
      finalize({ type: "set", from: "constant:zero", to: "state:keys" }),
      ['reference pipeline.finalize[0].from: "zero"', "reference graphs.remember: none", "reference state.keys: none"],
    ],
    ["a cache whose shape is not window and sink", keys({ window: 3 }), ["invalid_value state.keys.shape: [1, 5, 4]"]],
    [
      "an axis that does not exist",
      { ...keys({ axis: 3 }), ...finalize({ type: "set", from: "state:keys", to: "state:keys" }) },
      ["invalid_value state.keys.axis: 3", "reference graphs.remember: none"],
    ],
    ["a limit on a cache that cannot grow", keys({ fullLimit: 100 }), ["invalid_value state.keys.fullLimit: 100"]],
    ["an input that nothing uses", { inputs: { step: { push: plain } } }, ["reference inputs.step.push: none"]],
    [
      "an input from a domain in a world that has none",
      {
        inputs: { step: { push: { ...plain, from: "domain" } } },
        ...steps(sample, { ...decode, inputs: { x: "step:push" } }),
      },
      ["domain inputs.step.push.from: domain"],
    ],
    [
      "an alternative that is no input",
      { inputs: { alternatives: [["prompt"]] } },
      ['reference inputs.alternatives[0]: "prompt"'],
    ],
    [
      "an action that the world does not name",
      {
        actions: { jump: { keys: ["Space"] } },
        inputs: {
          step: {
            push: {
              ...plain,
              shape: [1, 4],
              type: "discrete",
              encoding: "one_hot",
              cases: [{ held: ["jmp"], value: 9 }],
              neutral: 0,
            },
          },
        },
        ...steps(sample, { ...decode, inputs: { x: "step:push" } }),
      },
      ['reference inputs.step.push.cases[0].held[0]: "jmp"', "invalid_value inputs.step.push.cases[0].value: 9"],
    ],
    [
      "random streams that share a number",
      { randomStreams: ["latent", "latent"] },
      [expect.stringMatching(/^invalid_value randomStreams: /) as string],
    ],
  ])("H1: explains %s", (_, change, expected) => {
    expect(faultsOf(change)).toEqual(expected);
  });

  test("I3: counters have to fit their type for ever, or have a modulo", () => {
    const counting = (dtype: string, source: unknown): string[] =>
      faultsOf({
        ...graphs("decode", { inputs: { x: latent, n: { dtype, shape: [1] } } }),
        ...steps(sample, { ...decode, inputs: { x: "value:clean", n: source } }),
      });
    expect(counting("int64", "runtime:step_index")).toEqual([]);
    for (const dtype of ["int32", "float32", "uint8"]) {
      expect(counting(dtype, "state:keys/position")).toEqual([
        "counter_range pipeline.step[1].inputs.n: a counter without an end",
      ]);
      expect(counting(dtype, { from: "state:keys/position", modulo: 100 })).toEqual([]);
      expect(counting(dtype, "state:keys/length")).toEqual([]);
    }
    expect(counting("uint8", { from: "runtime:frame_index", modulo: 300 })).toEqual([
      "counter_range pipeline.step[1].inputs.n: a counter up to 299",
    ]);
    expect(counting("float32", { from: "state:keys", modulo: 5 })).toEqual([
      'reference pipeline.step[1].inputs.n: "state:keys"',
    ]);
  });

  test("what may be absent can only be used where its absence is thought of", () => {
    const inputs = { initial: { picture: { ...image, shape: [1, 3, 2, 2] } } };
    const encode = {
      ...base.graphs.remember,
      role: "encode",
      inputs: { x: { dtype: "float32", shape: [1, 3, 2, 2] } },
    };
    const withEncode = { inputs, graphs: { ...base.graphs, encode } };
    const start = {
      type: "graph",
      graph: "encode",
      inputs: { x: "initial:picture" },
      outputs: { entry: "state:keys" },
    };
    const pipeline = (item: object): object => ({ ...withEncode, pipeline: { ...base.pipeline, start: [item] } });
    expect(faultsOf(pipeline({ ...start, when: "initial:picture" }))).toEqual([]);
    expect(faultsOf(pipeline(start))).toEqual(['reference pipeline.start[0].inputs.x: "picture", which may be absent']);
    expect(faultsOf(pipeline({ ...start, when: "initial:pictur" }))).toContain(
      'reference pipeline.start[0].when: "pictur"',
    );
  });

  test("a value of one case serves another only when both cases are covered", () => {
    const inputs = { initial: { given: { ...plain, required: false } } };
    const set = { type: "set", from: "initial:given", to: "value:seed", when: "initial:given" };
    const other = { type: "set", from: "constant:zero", to: "value:seed", unless: "initial:given" };
    const use = { ...decode, inputs: { x: "value:seed" } };
    const constants = { zero: { ...latent, data: [0, 0, 0, 0] } };
    const pipeline = (...start: object[]): string[] =>
      faultsOf({ inputs, constants, pipeline: { start, step: [sample, use], finalize: [remember] } });
    expect(pipeline(set, other)).toEqual([]);
    expect(pipeline(set)).toEqual([
      'reference pipeline.step[1].inputs.x: "seed", whose item has another "when" or "unless"',
    ]);
    expect(pipeline(set, other, { ...other, to: "value:seed" })).toEqual(['reference pipeline.start[2].to: "seed"']);
  });

  test("what runs on updates may depend on initial inputs only", () => {
    const condition = (item: object): string[] => faultsOf({ pipeline: { ...base.pipeline, condition: [item] } });
    const item = { type: "graph", graph: "remember", inputs: { x: "noise:latent" }, outputs: { entry: "value:entry" } };
    expect(condition(item)).toEqual(['reference pipeline.condition[0].inputs.x: "noise:latent"']);
    expect(condition({ ...item, inputs: { x: 0 }, outputs: { entry: "state:keys" } })).toEqual([
      'reference pipeline.condition[0].outputs.entry: "state:keys"',
    ]);
  });

  test("an update runs again only what depends on what changed, directly or through values", () => {
    const { manifest } = readManifest({
      ...base,
      inputs: { initial: { one: plain, two: plain } },
      pipeline: {
        ...base.pipeline,
        condition: [
          { type: "set", from: "initial:one", to: "value:first" },
          { type: "set", from: "value:first", to: "value:second" },
          { type: "set", from: "initial:two", to: "value:third" },
        ],
      },
    });
    if (manifest === undefined) throw new Error("no manifest");
    const { plan, faults } = planPipeline(manifest);
    expect(faults).toEqual([]);
    expect(plan.conditionInputs.map((names) => [...names])).toEqual([["one"], ["one"], ["two"]]);
  });
});
