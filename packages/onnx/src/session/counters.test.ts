import { inferenceConfig, modelInputs, type InferenceSession } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { packBundle, type OnnxModelInput } from "../testing/index.ts";

const engine = nodeEngine();
const NUMBERS = 12;

/** A world whose "frames" are the counters that its graph is fed, written as 8 digits of base 256, lowest first. */
function counterBundle(sources: Readonly<Record<string, unknown>>, shapes: Readonly<Record<string, number>>) {
  const names = Object.keys(sources);
  const total = Object.values(shapes).reduce((sum, count) => sum + count, 0);
  const model: OnnxModelInput = {
    inputs: names.map((name) => ({ name, dtype: "int64", shape: [shapes[name] ?? 1] })),
    outputs: [
      { name: "picture", dtype: "uint8", shape: [1, total, 8, 3] },
      { name: "entry", dtype: "float32", shape: [1, 1] },
    ],
    nodes: [
      { op: "Concat", inputs: names, outputs: ["all"], attributes: { axis: 0 } },
      { op: "Unsqueeze", inputs: ["all", "last"], outputs: ["column"] },
      { op: "Div", inputs: ["column", "powers"], outputs: ["shifted"] },
      { op: "Mod", inputs: ["shifted", "base"], outputs: ["digits"] },
      { op: "Cast", inputs: ["digits"], outputs: ["bytes"], attributes: { to: 2 } },
      { op: "Unsqueeze", inputs: ["bytes", "edges"], outputs: ["planes"] },
      { op: "Expand", inputs: ["planes", "rgb"], outputs: ["picture"] },
      { op: "Constant", inputs: [], outputs: ["one"], attributes: { value_float: { float: 1 } } },
      { op: "Reshape", inputs: ["one", "entry_shape"], outputs: ["entry"] },
    ],
    initializers: [
      integers("last", [1]),
      integers("powers", [1, 256, 65_536, 2 ** 24, 2 ** 32, 2 ** 40, 2 ** 48, 2 ** 56]),
      integers("base", [256]),
      integers("edges", [0, 3]),
      integers("rgb", [1, total, 8, 3]),
      integers("entry_shape", [1, 1]),
    ],
  };
  const manifest: Omit<WorldManifestInput, "files"> = {
    formatVersion: 1,
    id: "counters",
    title: "Counters",
    licence: "Apache-2.0",
    video: { width: 8, height: total, framesPerSecond: 10, layout: "thwc", range: "full" },
    inputs: {},
    state: {
      memory: { update: "append", dtype: "float32", shape: [1, 4], axis: 1, window: 3, sink: 1, align: "ring" },
    },
    graphs: {
      show: {
        role: "step",
        file: "show.onnx",
        inputs: Object.fromEntries(names.map((name) => [name, { dtype: "int64", shape: [shapes[name] ?? 1] }])),
        outputs: {
          picture: { dtype: "uint8", shape: [1, total, 8, 3] },
          entry: { dtype: "float32", shape: [1, 1] },
        },
      },
    },
    pipeline: {
      step: [
        {
          type: "graph",
          graph: "show",
          inputs: sources as Record<string, string>,
          outputs: { picture: "frames", entry: "state:memory" },
        },
      ],
    },
  };
  return packBundle({ manifest, models: { show: model }, digest: sha256Hex });
}

function integers(name: string, values: readonly number[]) {
  return { name, dtype: "int64" as const, shape: [values.length], data: BigInt64Array.from(values.map(BigInt)) };
}

/** The numbers that a frame shows. */
function numbersOf(data: ArrayLike<number>, count: number): number[] {
  return Array.from({ length: count }, (_, row) => {
    let value = 0;
    for (let digit = 7; digit >= 0; digit -= 1) value = value * 256 + (data[(row * 8 + digit) * 3] ?? 0);
    return value;
  });
}

const sources = {
  step: "runtime:step_index",
  frame: "runtime:frame_index",
  position: "state:memory/position",
  wrapped: { from: "state:memory/position", modulo: 1000 },
  length: "state:memory/length",
  mask: "state:memory/mask",
  places: "state:memory/positions",
};
const shapes = { step: 1, frame: 1, position: 1, wrapped: 1, length: 1, mask: 4, places: 4 };

async function start(): Promise<InferenceSession> {
  const { bundle, faults } = await openBundle(contentFiles(counterBundle(sources, shapes)));
  expect(faults).toEqual([]);
  if (bundle === undefined) throw new Error("no bundle");
  const adapter = bundleAdapter({ bundle, engine });
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
  return runtime.startSession(modelInputs(), { seed: 0 });
}

async function show(session: InferenceSession): Promise<number[]> {
  const { output } = await session.step(modelInputs(), {});
  await session.finalizeStep?.({});
  return numbersOf(output?.data ?? [], NUMBERS + 1);
}

describe("counters of the runtime", () => {
  test("a graph sees the step, the position, how much of the cache is valid, and where each entry lies", async () => {
    const session = await start();
    expect(await show(session)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await show(session)).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]);
    await show(session);
    await show(session);
    expect(await show(session)).toEqual([4, 4, 4, 4, 4, 1, 1, 1, 1, 0, 1, 2, 3]);
    expect(await show(session)).toEqual([5, 5, 5, 5, 4, 1, 1, 1, 1, 0, 4, 2, 3]);
  });

  test("I3: counters are exact past 2^31 and past 2^32, and a modulo starts them again at its rule", async () => {
    for (const far of [2 ** 31 - 1, 2 ** 32 - 1, 2 ** 40]) {
      const session = await start();
      await show(session);
      const snapshot = structuredClone(await session.snapshot?.()) as { version: string; data: Far };
      snapshot.data.stepIndex = far;
      snapshot.data.states.memory.content.total = far;
      await session.restore?.(snapshot);
      for (let step = 0; step < 3; step += 1) {
        const [index, frame, position, wrapped, length, ...places] = await show(session);
        expect([index, frame, position]).toEqual([far + step, far + step, far + step]);
        expect(wrapped).toBe((far + step) % 1000);
        expect(length).toBe(4);
        const newest = [far + step - 1, far + step - 2, far + step - 3];
        expect(places.slice(4).sort((a, b) => b - a)).toEqual([...newest, 0]);
      }
    }
  });
});

interface Far {
  stepIndex: number;
  states: { memory: { content: { total: number } } };
}
