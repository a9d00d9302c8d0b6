import { inferenceConfig, modelInputs, type InferenceSession, type ModelConfigInput } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { checkBundleFiles } from "../adapter/check-bundle.ts";
import { packBundle, type BundleContents, type OnnxModelInput } from "../testing/index.ts";
import { guided } from "./run-sampling.ts";
import { integerWeight } from "../testing/weights.ts";

const engine = nodeEngine();
const PICTURE = [1, 3, 1, 1];
const picture = { dtype: "float32" as const, shape: PICTURE };
const open = { dtype: "float32" as const, shape: [1, "any" as const] };

/** Shows what it is fed. */
const show = { inputs: { x: picture }, outputs: { y: picture } };
/** Spreads a number over a picture. */
const spread = { inputs: { n: { dtype: "float32" as const, shape: [1] }, x: picture }, outputs: { y: picture } };
/** Sums up a cache of any length. */
const total = {
  inputs: { cache: open },
  outputs: { y: picture, entry: { dtype: "float32" as const, shape: [1, 1] } },
};

const models: Readonly<Record<string, OnnxModelInput>> = {
  show: { ...ports(show), nodes: [{ op: "Identity", inputs: ["x"], outputs: ["y"] }] },
  spread: {
    ...ports(spread),
    nodes: [
      { op: "Sub", inputs: ["x", "x"], outputs: ["nothing"] },
      { op: "Add", inputs: ["nothing", "n"], outputs: ["y"] },
    ],
  },
  total: {
    ...ports(total),
    nodes: [
      { op: "ReduceSum", inputs: ["cache"], outputs: ["sum"], attributes: { keepdims: 0 } },
      { op: "Expand", inputs: ["sum", "shape"], outputs: ["y"] },
      { op: "Constant", inputs: [], outputs: ["one"], attributes: { value_float: { float: 1 } } },
      { op: "Expand", inputs: ["one", "entry_shape"], outputs: ["entry"] },
    ],
    initializers: [integerWeight("shape", PICTURE), integerWeight("entry_shape", [1, 1])],
  },
};
const graphs = { show, spread, total };

function ports(graph: {
  readonly inputs: object;
  readonly outputs: object;
}): Pick<OnnxModelInput, "inputs" | "outputs"> {
  const list = (side: object) => Object.entries(side).map(([name, port]) => ({ name, ...(port as typeof picture) }));
  return { inputs: list(graph.inputs), outputs: list(graph.outputs) };
}

type World = Partial<Omit<WorldManifestInput, "pipeline">> & {
  readonly use: (keyof typeof graphs)[];
  readonly pipeline: WorldManifestInput["pipeline"];
  readonly contents?: Readonly<Record<string, Uint8Array>>;
};

async function start(
  { use, contents, ...world }: World,
  how: { readonly seed?: number; readonly model?: ModelConfigInput; readonly initial?: Record<string, unknown> } = {},
): Promise<InferenceSession> {
  const packed = packBundle({
    manifest: {
      formatVersion: 1,
      id: "pipeline",
      title: "Pipeline",
      licence: "MIT",
      video: { width: 1, height: 1, framesPerSecond: 10, layout: "tchw", range: "unit" },
      inputs: {},
      graphs: Object.fromEntries(use.map((name) => [name, { role: "other", file: `${name}.onnx`, ...graphs[name] }])),
      ...world,
    },
    models: Object.fromEntries(use.map((name) => [name, models[name]])),
    files: contents,
    digest: sha256Hex,
  });
  const { bundle, faults } = await openBundle(contentFiles(packed));
  expect(faults).toEqual([]);
  if (bundle === undefined) throw new Error("no bundle");
  const adapter = bundleAdapter({ bundle, engine });
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, model: how.model }), {});
  return runtime.startSession(modelInputs({ initial: how.initial }), { seed: how.seed ?? 1 });
}

async function frames(session: InferenceSession, count: number, update = {}): Promise<number[][]> {
  const seen: number[][] = [];
  for (let index = 0; index < count; index += 1) {
    const { output } = await session.step(modelInputs({ update: index === 0 ? update : {} }), {});
    await session.finalizeStep?.({});
    seen.push([...(output?.data ?? [])]);
  }
  return seen;
}

const shown = (x: string, outputs: Record<string, string | string[]> = { y: "frames" }) =>
  ({ type: "graph", graph: "show", inputs: { x }, outputs }) as const;

describe("pipelines", () => {
  test("G2: noise is another one in each step, each stream and each seed, and the same for the same", async () => {
    const world: World = { use: ["show"], randomStreams: ["a", "b"], pipeline: { step: [shown("noise:a")] } };
    const first = await frames(await start(world), 4);
    expect(new Set(first.flat()).size).toBe(12);
    expect(await frames(await start(world), 4)).toEqual(first);
    expect(await frames(await start(world, { seed: 2 }), 4)).not.toEqual(first);
    expect(await frames(await start({ ...world, pipeline: { step: [shown("noise:b")] } }), 4)).not.toEqual(first);
  });

  test("constants come from the manifest or from a file", async () => {
    const data = new Uint8Array(Float32Array.of(4, 5, 6).buffer);
    const constants = { inline: { ...picture, data: [1, 2, 3] }, filed: { ...picture, file: "filed.bin" } };
    const world: World = { use: ["show"], constants, contents: { "filed.bin": data }, pipeline: { step: [] } };
    const inline = { ...world, pipeline: { step: [shown("constant:inline")] } };
    const filed = { ...world, pipeline: { step: [shown("constant:filed")] } };
    expect(await frames(await start(inline), 1)).toEqual([[1, 2, 3]]);
    expect(await frames(await start(filed), 1)).toEqual([[4, 5, 6]]);
  });

  test("a replaced state begins as declared and then is what the step before wrote", async () => {
    const step = [
      shown("state:kept"),
      { type: "graph", graph: "spread", inputs: { n: 7, x: "state:kept" }, outputs: { y: "state:kept" } },
    ] as World["pipeline"]["step"];
    const world: World = { use: ["show", "spread"], pipeline: { step } };
    const number = { ...world, state: { kept: { update: "replace" as const, ...picture, initial: 0.5 } } };
    expect(await frames(await start(number), 3)).toEqual([
      [0.5, 0.5, 0.5],
      [7, 7, 7],
      [7, 7, 7],
    ]);
    const constants = { first: { ...picture, data: [1, 2, 3] } };
    const constant = {
      ...world,
      constants,
      state: { kept: { update: "replace" as const, ...picture, initial: "first" } },
    };
    expect((await frames(await start(constant), 2))[0]).toEqual([1, 2, 3]);
  });

  test("guidance pushes the prediction away from the other one", async () => {
    const sample = (guidance?: { scale: number; inputs: Record<string, number> }) =>
      start({
        use: ["show", "spread"],
        constants: { zero: { ...picture, data: [0, 0, 0] } },
        pipeline: {
          step: [
            {
              type: "sample",
              latent: "constant:zero",
              graph: "spread",
              inputs: { x: "sampler:latent", n: 3 },
              prediction: "y",
              output: "value:latent",
              schedules: [[1, 0.5, 0]],
              defaultSteps: 2,
              ...(guidance === undefined ? {} : { guidance }),
            },
            shown("value:latent"),
          ],
        },
      });
    // Two Euler steps along a constant velocity v end at −v: 3 alone, and 1 + 2 · (3 − 1) = 5 with guidance.
    expect(await frames(await sample(), 1)).toEqual([[-3, -3, -3]]);
    expect(await frames(await sample({ scale: 2, inputs: { n: 1 } }), 1)).toEqual([[-5, -5, -5]]);
    expect(await frames(await sample({ scale: 1, inputs: { n: 1 } }), 1)).toEqual([[-3, -3, -3]]);
  });

  test("adding noise goes along the line that the sampler walks back", async () => {
    const constants = { clean: { ...picture, data: [4, 8, 0] }, noise: { ...picture, data: [0, 4, 2] } };
    const session = await start({
      use: ["show"],
      constants,
      pipeline: {
        step: [
          { type: "add_noise", latent: "constant:clean", noise: "constant:noise", level: 0.25, output: "value:noisy" },
          shown("value:noisy"),
        ],
      },
    });
    expect(await frames(session, 1)).toEqual([[3, 7, 0.5]]);
  });

  const growing = (fullLimit?: number): World => ({
    use: ["total"],
    state: {
      entries: {
        update: "append",
        ...open,
        axis: 1,
        window: 2,
        padding: "none",
        ...(fullLimit === undefined ? {} : { fullLimit }),
      },
    },
    pipeline: {
      step: [
        {
          type: "graph",
          graph: "total",
          inputs: { cache: "state:entries" },
          outputs: { y: "frames", entry: "state:entries" },
        },
      ],
    },
  });

  test("a cache without padding hands graphs the valid entries only, from none up to its window", async () => {
    const seen = await frames(await start(growing()), 5);
    expect(seen.map(([value]) => value)).toEqual([0, 1, 2, 2, 2]);
  });

  test("I2: a cache that keeps everything ends the rollout where its limit is reached", async () => {
    const session = await start(growing(4), { model: { cachePolicy: { kind: "full" } } });
    const seen: (number | undefined)[] = [];
    while (session.nextStepRequest() !== undefined) seen.push((await frames(session, 1))[0]?.[0]);
    expect(seen).toEqual([0, 1, 2, 3]);
    await session.reset({});
    expect(session.nextStepRequest()).toEqual({ stepIndex: 0 });
    const wider = { kind: "rolling", windowFrames: 3, sinkFrames: 0 } as const;
    const rolling = await frames(await start(growing(4), { model: { cachePolicy: wider } }), 6);
    expect(rolling.map(([value]) => value)).toEqual([0, 1, 2, 3, 3, 3]);
  });

  test("items run only when their initial input was given, or only when it was not", async () => {
    const world: World = {
      use: ["show"],
      constants: { plain: { ...picture, data: [9, 9, 9] } },
      inputs: { initial: { first: { type: "tensor", ...picture, required: false, updatePolicy: "step_boundary" } } },
      pipeline: {
        condition: [
          { type: "set", when: "initial:first", from: "initial:first", to: "value:seed" },
          { type: "set", unless: "initial:first", from: "constant:plain", to: "value:seed" },
        ],
        step: [shown("value:seed")],
      },
    };
    expect(await frames(await start(world), 1)).toEqual([[9, 9, 9]]);
    const session = await start(world, { initial: { first: [1, 2, 3] } });
    expect(await frames(session, 1)).toEqual([[1, 2, 3]]);
    const late = await start(world);
    expect(await frames(late, 2, { first: [4, 5, 6] })).toEqual([
      [4, 5, 6],
      [4, 5, 6],
    ]);
  });

  test("G2: noise of the start is another one than that of the first step, and its values live on", async () => {
    const session = await start({
      use: ["show"],
      randomStreams: ["a"],
      state: { kept: { update: "replace", ...picture } },
      pipeline: {
        start: [shown("noise:a", { y: ["value:begun", "state:kept"] })],
        step: [shown("value:begun")],
        firstStep: [shown("noise:a", { y: "frames" })],
        firstFinalize: [],
        finalize: [],
      },
    });
    const [first, second, third] = await frames(session, 3);
    expect(first).not.toEqual(second);
    expect(third).toEqual(second);
  });

  test("F3: a state does not share memory with what a caller handed over", async () => {
    const session = await start({
      use: ["show"],
      inputs: { step: { push: { type: "tensor", ...picture } } },
      state: { kept: { update: "replace", ...picture } },
      pipeline: { step: [shown("state:kept"), { type: "set", from: "step:push", to: "state:kept" }] },
    });
    const push = Float32Array.of(1, 2, 3);
    await session.step(modelInputs({ step: { push } }), {});
    await session.finalizeStep?.({});
    push.fill(99);
    const { output } = await session.step(modelInputs({ step: { push } }), {});
    expect([...(output?.data ?? [])]).toEqual([1, 2, 3]);
  });

  test("C2: a session that is closed within a step stays closed", async () => {
    const session = await start({ use: ["show"], randomStreams: ["a"], pipeline: { step: [shown("noise:a")] } });
    const step = session.step(modelInputs(), {});
    await session.close();
    await expect(step).rejects.toMatchObject({ code: "closed" });
    await expect(session.finalizeStep?.({})).rejects.toMatchObject({ code: "closed" });
  });
});

describe("plumbing in the manifest", () => {
  const plumbing: Omit<World, "use"> = {
    state: {
      half: { update: "replace", dtype: "float16", shape: [3], initial: 0.25 },
      seen: { update: "replace", dtype: "int64", shape: [1], initial: 9_007_199_254_740_991 },
    },
    pipeline: {
      step: [
        { type: "transform", from: "state:half", do: [{ cast: "float32" }, { reshape: PICTURE }], to: "value:x" },
        { type: "graph", graph: "show", inputs: { x: "value:x" }, outputs: { y: "frames" } },
        {
          type: "transform",
          from: "value:x",
          do: [
            { scale: 2, offset: -0.25 },
            { slice: { axis: 1, start: 0, end: 1 } },
            { squeeze: 0 },
            { squeeze: -1 },
            { squeeze: 0 },
          ],
          to: "value:one",
        },
        { type: "concat", from: ["value:one", "value:one", "value:one"], axis: 0, to: "value:three" },
        { type: "transform", from: "value:three", do: [{ cast: "float16" }], to: "state:half" },
        { type: "set", from: "state:seen", to: "value:seen" },
        {
          type: "transform",
          from: "value:seen",
          do: [{ tile: [2] }, { slice: { axis: 0, start: 1 } }],
          to: "state:seen",
        },
      ],
    },
  };

  test("reshapes, scales, cuts, joins and casts without a graph, float16 and int64 state among it", async () => {
    const session = await start({ use: ["show"], ...plumbing });
    const shown: number[] = [];
    for (let step = 0; step < 3; step += 1) {
      const { output } = await session.step(modelInputs(), {});
      await session.finalizeStep?.({});
      shown.push(output?.data[2] ?? NaN);
    }
    expect(shown).toEqual([0.25, 0.25, 0.25]);
    await session.close();
  });

  test("a float16 state that is no number ends the step", async () => {
    const [first, second, ...rest] = plumbing.pipeline.step;
    const huge = {
      type: "transform" as const,
      from: "value:three",
      do: [{ scale: 1e6 }, { cast: "float16" as const }],
      to: "state:half",
    };
    const step = [
      first,
      second,
      ...rest.map((item) => (item.type === "transform" && item.to === "state:half" ? huge : item)),
    ];
    await expect(start({ use: ["show"], ...plumbing, pipeline: { step } })).rejects.toMatchObject({
      code: "step_failed",
      message: expect.stringMatching(/state "half": expected finite values, found Infinity/) as string,
    });
  });
});

describe("sampling", () => {
  const frames = { dtype: "float32" as const, shape: [1, 3, 1] };
  /** Predicts what it is fed, plus a condition, plus the sum of the levels. */
  const predict = {
    inputs: {
      x: frames,
      levels: { dtype: "int64" as const, shape: [3] },
      wish: { dtype: "float32" as const, shape: [1] },
    },
    outputs: { out: frames },
  };
  const packed = (sample: Record<string, unknown>): BundleContents =>
    packBundle({
      manifest: {
        formatVersion: 1,
        id: "sampling",
        title: "Sampling",
        licence: "MIT",
        video: { width: 1, height: 1, framesPerSecond: 10, layout: "tchw", range: "unit" },
        inputs: {
          step: {
            strength: { type: "tensor", dtype: "float32", shape: [1], neutral: 1 },
          },
        },
        randomStreams: ["x"],
        state: { past: { update: "replace", dtype: "float32", shape: [1, 2, 1], initial: 0.5 } },
        graphs: {
          predict: { role: "denoise", file: "predict.onnx", ...predict },
          show: { role: "decode", file: "show.onnx", ...graphs.show },
        },
        pipeline: {
          step: [
            { type: "set", from: "step:strength", to: "value:strength" },
            {
              type: "sample",
              sampler: "ddim",
              settings: { predicts: "x0" },
              latent: "noise:x",
              graph: "predict",
              context: { from: "state:past", axis: 1, level: 3 },
              inputs: { x: "sampler:latent", levels: "sampler:levels", wish: 0 },
              prediction: "out",
              output: "value:new",
              schedules: [[7, -1]],
              defaultSteps: 1,
              ...sample,
            } as never,
            {
              type: "transform",
              from: "value:new",
              do: [{ reshape: [1, 1, 1, 1] }, { expand: PICTURE }],
              to: "value:picture",
            },
            { type: "graph", graph: "show", inputs: { x: "value:picture" }, outputs: { y: "frames" } },
            { type: "concat", from: ["state:past", "value:new"], axis: 1, to: "value:all" },
            { type: "transform", from: "value:all", do: [{ slice: { axis: 1, start: -2 } }], to: "state:past" },
          ],
        },
      },
      models: {
        show: models.show,
        predict: {
          ...ports(predict),
          nodes: [
            { op: "Cast", inputs: ["levels"], outputs: ["numbers"], attributes: { to: 1 } },
            { op: "ReduceSum", inputs: ["numbers"], outputs: ["sum"], attributes: { keepdims: 0 } },
            { op: "ReduceSum", inputs: ["x"], outputs: ["all"], attributes: { keepdims: 0 } },
            { op: "Sub", inputs: ["all", "all"], outputs: ["none"] },
            { op: "Sub", inputs: ["x", "x"], outputs: ["zeros"] },
            { op: "Add", inputs: ["zeros", "sum"], outputs: ["told"] },
            { op: "Add", inputs: ["told", "none"], outputs: ["known"] },
            { op: "Add", inputs: ["known", "wish"], outputs: ["out"] },
          ],
        },
      },
      digest: sha256Hex,
    });

  async function shown(sample: Record<string, unknown>, step: Record<string, unknown> = {}): Promise<number> {
    const { faults } = await checkBundleFiles(contentFiles(packed(sample)), { level: "structure" });
    expect(faults).toEqual([]);
    const { bundle } = await openBundle(contentFiles(packed(sample)));
    if (bundle === undefined) throw new Error("no bundle");
    const adapter = bundleAdapter({ bundle, engine });
    const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    const { output } = await session.step(modelInputs({ step }), {});
    await runtime.close();
    return output?.data[0] ?? NaN;
  }

  test("frames before those that are sampled are seen at a level of their own, and whole levels reach an int64 input", async () => {
    expect(await shown({})).toBeCloseTo(3 + 3 + 7, 5);
  });

  test("guidance has several branches with scales of their own, one of them a live input", async () => {
    const branches = [
      { scale: 3, inputs: { wish: 1 } },
      { scale: "step:strength", inputs: { wish: 4 } },
    ];
    // 13 + (3 − 1)(13 − 14) + (strength − 1)(13 − 17)
    expect(await shown({ guidance: { branches } })).toBeCloseTo(11, 5);
    expect(await shown({ guidance: { branches } }, { strength: Float32Array.of(2) })).toBeCloseTo(7, 5);
    expect(await shown({ guidance: { scale: 2, inputs: { wish: -1 } } })).toBeCloseTo(14, 5);
  });

  test("what a sampler cannot use is a fault with the nearest name, before anything runs", async () => {
    const faultsOf = async (sample: Record<string, unknown>) => {
      const { faults } = await checkBundleFiles(contentFiles(packed(sample)), { level: "structure" });
      return faults.map(({ path, found, mend }) => `${path}: ${found} ${mend}`);
    };
    expect(await faultsOf({ settings: { predict: "x0" } })).toEqual([
      'pipeline.step[1].settings.predict: "predict" Did you mean "predicts"?',
    ]);
    expect((await faultsOf({ schedules: [[7.5, -1]] }))[0]).toMatch(/^pipeline\.step\[1\]\.inputs\.levels: int64\[3\]/);
    expect((await faultsOf({ context: { from: "state:past", axis: 2, level: 0 } }))[0]).toMatch(
      /context\.from: float32\[1, 2, 1\]/,
    );
  });

  test("rescaled guidance has the deviation of the prediction", () => {
    const prediction = Float32Array.of(1, -1, 2, 0);
    const others = [Float32Array.of(0, 0.5, 1, -1)];
    const plain = guided({ prediction, others, scales: [4], rescale: 0 });
    const rescaled = guided({ prediction, others, scales: [4], rescale: 1 });
    const spread = (values: Float32Array): number => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
    };
    expect(spread(plain)).toBeGreaterThan(spread(prediction));
    expect(spread(rescaled)).toBeCloseTo(spread(prediction), 5);
  });
});
