import {
  inferenceConfig,
  isDreamloopError,
  modelInputs,
  stepResult,
  type InferenceRuntime,
  type InferenceSession,
  type ModelConfigInput,
  type ModelInputsInput,
  type StepResult,
} from "@dreamloop/core";
import { adapterConformance, registerCases, sessionConformance } from "@dreamloop/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleAdapter } from "../adapter/bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import type { Engine, Graph } from "../load/engine.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { toyFlowWorld, toyStepWorld, type BundleContents, type Digest } from "../testing/index.ts";

const engine = nodeEngine();

async function adapterOf(make: (digest: Digest) => BundleContents, runner: Engine = engine) {
  const { bundle, faults } = await openBundle(contentFiles(make(sha256Hex)));
  expect(faults).toEqual([]);
  if (bundle === undefined) throw new Error("no bundle");
  return bundleAdapter({ bundle, engine: runner });
}

async function load(make: (digest: Digest) => BundleContents, model: ModelConfigInput = {}, runner?: Engine) {
  const adapter = await adapterOf(make, runner);
  return adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, model }), {});
}

/** Runs one step to its end. */
async function play(session: InferenceSession, inputs: ModelInputsInput = {}): Promise<StepResult> {
  const result = stepResult(await session.step(modelInputs(inputs), {}));
  await session.finalizeStep?.({});
  return result;
}

async function playAll(session: InferenceSession, count: number, first = 0): Promise<number[][]> {
  const frames: number[][] = [];
  for (let index = 0; index < count; index += 1) {
    const { output } = await play(session, { step: { controls: [(first + index) % 2, -0.5] } });
    frames.push([...(output?.data ?? [])]);
  }
  return frames;
}

/** An engine whose graphs fail at one call of `run`, counted from when `failAt` is set. */
function failingEngine(): Engine & { failAt: number; calls: number } {
  const failing = {
    ...engine,
    name: engine.name,
    devices: engine.devices,
    defaultThreads: engine.defaultThreads,
    failAt: Infinity,
    calls: 0,
    facts: () => engine.facts(),
    createGraph: async (...args: Parameters<Engine["createGraph"]>): Promise<Graph> => {
      const graph = await engine.createGraph(...args);
      return {
        inputs: graph.inputs,
        outputs: graph.outputs,
        close: () => graph.close(),
        run: (feeds, names) => {
          failing.calls += 1;
          if (failing.calls - 1 === failing.failAt) return Promise.reject(new Error("out of memory"));
          return graph.run(feeds, names);
        },
      };
    },
  };
  return failing;
}

describe("conformance of the toy flow world", async () => {
  const adapter = await adapterOf(toyFlowWorld);
  const world = {
    adapter,
    initial: { initial: { prompt: "wild" } },
    stepInputs: (index: number) => ({ step: { controls: [index / 10, 1 - index / 10] } }),
    stepCount: 7,
    update: { prompt: "cold" },
    badStep: { step: { controls: [1, 2, 3] } },
  };
  registerCases(test, adapterConformance(world));
  registerCases(test, sessionConformance(world));
});

describe("conformance of the toy step world", async () => {
  const adapter = await adapterOf(toyStepWorld);
  const world = {
    adapter,
    stepInputs: (index: number) => ({ step: { action: [0, index % 2, (index + 1) % 2] } }),
    update: { palette: "dusk" },
    badStep: { step: { action: "left" } },
  };
  registerCases(test, adapterConformance(world));
  registerCases(test, sessionConformance(world));
});

describe("BundleSession", () => {
  let runtime: InferenceRuntime;
  beforeAll(async () => {
    runtime = await load(toyFlowWorld);
  });
  afterAll(() => runtime.close());

  test("the first step has its own items and its own number of frames", async () => {
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    const first = await play(session);
    const second = await play(session);
    expect(first.output).toMatchObject({ frameCount: 1, width: 8, height: 4, format: "rgbf32", layout: "tchw" });
    expect(second.output?.frameCount).toBe(2);
    const half = 3 * 8 * 4;
    const [between, last] = [second.output?.data.slice(0, half), second.output?.data.slice(half)];
    expect(between).not.toEqual(last);
  });

  test("F2: a failure in any graph of step or finalisation leaves no trace", async () => {
    const failing = failingEngine();
    const shaky = await load(toyFlowWorld, {}, failing);
    const expected = await shaky.startSession(modelInputs(), { seed: 5 });
    const whole = await playAll(expected, 6);
    failing.calls = 0;
    const probe = await shaky.startSession(modelInputs(), { seed: 5 });
    await playAll(probe, 3);
    failing.calls = 0;
    await playAll(probe, 1, 3);
    const callsOfStep = failing.calls;
    expect(callsOfStep).toBe(4); // Two denoising steps, the decoder, the cache.
    for (let failAt = 0; failAt < callsOfStep; failAt += 1) {
      const session = await shaky.startSession(modelInputs(), { seed: 5 });
      const found = await playAll(session, 3);
      failing.calls = 0;
      failing.failAt = failAt;
      const step = play(session, { step: { controls: [1, -0.5] }, update: { prompt: "calm" } });
      await expect(step, `call ${failAt}`).rejects.toThrow(/out of memory/);
      failing.failAt = Infinity;
      session.discardStep?.();
      found.push(...(await playAll(session, 3, 3)));
      expect(found).toEqual(whole);
    }
    await shaky.close();
  });

  test("F2: an update is part of its step and is dropped with it", async () => {
    const session = await runtime.startSession(modelInputs(), { seed: 2 });
    const plain = await runtime.startSession(modelInputs(), { seed: 2 });
    await session.step(modelInputs({ update: { prompt: "wild cold" } }), {});
    session.discardStep?.();
    expect(await playAll(session, 3)).toEqual(await playAll(plain, 3));
  });

  test("F1: NaN that would be remembered stops the step and the last good state stays", async () => {
    const failing = failingEngine();
    const shaky = await load(
      toyFlowWorld,
      {},
      {
        ...failing,
        createGraph: async (source, options) => {
          const graph = await engine.createGraph(source, options);
          const isCache = source.path === "remember.onnx";
          return {
            ...graph,
            inputs: graph.inputs,
            outputs: graph.outputs,
            close: () => graph.close(),
            run: async (feeds, names) => {
              const results = await graph.run(feeds, names);
              if (isCache && failing.failAt === 0) results.entry?.data.fill(NaN as never);
              return results;
            },
          };
        },
      },
    );
    const session = await shaky.startSession(modelInputs(), { seed: 3 });
    const plain = await runtime.startSession(modelInputs(), { seed: 3 });
    const found = await playAll(session, 2);
    failing.failAt = 0;
    await expect(play(session)).rejects.toThrow(/state "memory": expected finite values, found NaN at index 0 of 4/);
    failing.failAt = Infinity;
    found.push(...(await playAll(session, 2, 2)));
    expect(found).toEqual(await playAll(plain, 4));
    await shaky.close();
  });

  test("F3, J1: five interleaved sessions give what five separate ones give, bit for bit", async () => {
    const seeds = [1, 2, 3, 4, 5];
    const separate: number[][][] = [];
    for (const seed of seeds) {
      const session = await runtime.startSession(modelInputs(), { seed });
      separate.push(await playAll(session, 8));
      await session.close();
    }
    const sessions = await Promise.all(seeds.map(async (seed) => runtime.startSession(modelInputs(), { seed })));
    const interleaved = await Promise.all(sessions.map((session) => playAll(session, 8)));
    expect(interleaved).toEqual(separate);
    expect(new Set(interleaved.map((frames) => frames.join())).size).toBe(seeds.length);
  });

  test("G2: noise depends on seed and step alone, not on resets, snapshots or other sessions", async () => {
    const session = await runtime.startSession(modelInputs(), { seed: 8 });
    const whole = await playAll(session, 5);
    await session.reset({});
    const again = await playAll(session, 2);
    const snapshot = structuredClone(await session.snapshot?.());
    const other = await runtime.startSession(modelInputs(), { seed: 99 });
    await playAll(other, 3);
    if (snapshot !== undefined) await other.restore?.(snapshot);
    again.push(...(await playAll(other, 3, 2)));
    expect(again).toEqual(whole);
  });

  test("a prompt changes the world, and words that are not known are reported", async () => {
    const session = await runtime.startSession(modelInputs({ initial: { prompt: "calm blue" } }), { seed: 4 });
    const first = await play(session);
    expect(first.metadata).toEqual({
      prompts: { prompt: { knownWords: ["calm"], unknownWords: ["blue"], cutWords: [], applied: true } },
    });
    const sample = first.metrics.find(({ name }) => name === "prompt.unknown_words");
    expect(sample).toMatchObject({ value: 1, unit: "words", category: "quality" });
    const silent = await play(session);
    expect(silent.metadata).toEqual({});
    const same = await runtime.startSession(modelInputs({ initial: { prompt: "calm" } }), { seed: 4 });
    expect((await play(same)).output?.data).toEqual(first.output?.data);
    const other = await runtime.startSession(modelInputs({ initial: { prompt: "wild" } }), { seed: 4 });
    expect((await play(other)).output?.data).not.toEqual(first.output?.data);
  });

  test("a prompt of which no word is known is refused at the start", async () => {
    const start = runtime.startSession(modelInputs({ initial: { prompt: "purple haze" } }), { seed: 4 });
    await expect(start).rejects.toThrow(/"purple", "haze" is known; use some of these: calm, wild, warm, cold/);
  });

  test("an update takes effect in the step that it comes with", async () => {
    const session = await runtime.startSession(modelInputs({ initial: { prompt: "calm" } }), { seed: 4 });
    const plain = await runtime.startSession(modelInputs({ initial: { prompt: "calm" } }), { seed: 4 });
    await play(session);
    await play(plain);
    const updated = await play(session, { update: { prompt: "cold cold" } });
    expect(updated.output?.data).not.toEqual((await play(plain)).output?.data);
  });

  test("more denoising steps and another cache are other frames, and snapshots of one do not fit the other", async () => {
    const more = await load(toyFlowWorld, { denoisingSteps: 4 });
    const less = await load(toyFlowWorld, { cachePolicy: { kind: "rolling", windowFrames: 1, sinkFrames: 0 } });
    const session = await runtime.startSession(modelInputs(), { seed: 6 });
    const frames = await playAll(session, 5);
    const snapshot = await session.snapshot?.();
    for (const changed of [more, less]) {
      const other = await changed.startSession(modelInputs(), { seed: 6 });
      expect(await playAll(other, 5)).not.toEqual(frames);
      if (snapshot !== undefined)
        expect(() => other.restore?.(snapshot)).toThrow(/same weights, denoising steps and cache/);
      await changed.close();
    }
  });

  test("a step before the last one is committed is refused", async () => {
    const session = await runtime.startSession(modelInputs(), { seed: 6 });
    await session.step(modelInputs(), {});
    await expect(session.step(modelInputs(), {})).rejects.toThrow(/finalizeStep\(\) or discardStep\(\)/);
    expect(() => session.snapshot?.()).toThrow(/not committed/);
  });

  test("sessions beyond the limit are refused as busy until one is closed", async () => {
    const { bundle } = await openBundle(contentFiles(toyStepWorld(sha256Hex)));
    if (bundle === undefined) throw new Error("no bundle");
    const adapter = bundleAdapter({ bundle, engine, maxSessions: 1 });
    const small = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
    const session = await small.startSession(modelInputs(), { seed: 1 });
    const start = async (): Promise<InferenceSession> => small.startSession(modelInputs(), { seed: 1 });
    await expect(start()).rejects.toSatisfy((error) => isDreamloopError(error, "busy") && error.retryable);
    session.close();
    await (await start()).close();
    await small.close();
  });
});
