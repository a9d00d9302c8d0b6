import { inferenceConfig, modelInputs, type InferenceSession } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { toyFlowWorld } from "../testing/index.ts";

const KILOBYTE = 1024;

/** Heap, buffers and resident memory after a collection. */
async function memory(): Promise<{ heap: number; buffers: number; resident: number }> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: heapUsed, buffers: arrayBuffers, resident: rss };
}

async function load() {
  const engine = nodeEngine();
  const { bundle } = await openBundle(contentFiles(toyFlowWorld(sha256Hex)));
  if (bundle === undefined) throw new Error("no bundle");
  const adapter = bundleAdapter({ bundle, engine });
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, model: { threads: 1 } }), {});
  return { engine, runtime };
}

async function play(session: InferenceSession, steps: number): Promise<void> {
  for (let index = 0; index < steps; index += 1) {
    await session.step(modelInputs(), {});
    await session.finalizeStep?.({});
  }
}

describe("long rollouts", () => {
  test("I1: 10,000 steps on the processor leave memory as it was after the window was full", async ({ task }) => {
    expect(globalThis.gc, "run with --expose-gc").toBeDefined();
    const { engine, runtime } = await load();
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    await play(session, 2_000);
    const before = await memory();
    const handles = engine.openGraphs;
    await play(session, 10_000);
    const after = await memory();
    expect(engine.openGraphs).toBe(handles);
    const heap = (after.heap - before.heap) / 10_000;
    const buffers = (after.buffers - before.buffers) / 10_000;
    const resident = (after.resident - before.resident) / 10_000;
    Object.assign(task.meta, {
      figures: { "heap bytes a step": heap, "buffer bytes a step": buffers, "resident bytes a step": resident },
    });
    expect(heap).toBeLessThan(KILOBYTE);
    expect(buffers).toBeLessThan(KILOBYTE);
    expect(resident).toBeLessThan(KILOBYTE);
    await runtime.close();
  });

  test("C1, I1: 500 sessions return memory to what it was before them", async ({ task }) => {
    const { engine, runtime } = await load();
    const cycle = async (seed: number): Promise<void> => {
      const session = await runtime.startSession(modelInputs(), { seed });
      await play(session, 20);
      session.close();
    };
    for (let seed = 0; seed < 200; seed += 1) await cycle(seed);
    const before = await memory();
    for (let seed = 0; seed < 500; seed += 1) await cycle(seed);
    const after = await memory();
    const heap = (after.heap - before.heap) / 500;
    const resident = (after.resident - before.resident) / 500;
    Object.assign(task.meta, { figures: { "heap bytes a session": heap, "resident bytes a session": resident } });
    expect(heap).toBeLessThan(20 * KILOBYTE);
    expect(resident).toBeLessThan(20 * KILOBYTE);
    await runtime.close();
    expect(engine.openGraphs).toBe(0);
  });
});
