import {
  eventListSource,
  inferenceConfig,
  runBatch,
  type InferenceConfigInput,
  type ModelAdapter,
  type UserInputEventInput,
} from "@dreamloop/core";
import { checkConfigSupport } from "@dreamloop/core/internal";
import { FakeClock, RecordingTarget } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { openBundle } from "../plan/open-bundle.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { flowMatching } from "../plan/samplers/flow-matching.ts";
import { toyFlowWorld, toyStepWorld, type BundleContents, type Digest } from "../testing/index.ts";
import { bundleAdapter } from "./bundle-adapter.ts";

const engine = nodeEngine();

async function adapterOf(
  make: (digest: Digest) => BundleContents,
  options: Partial<Parameters<typeof bundleAdapter>[0]> = {},
): Promise<ModelAdapter> {
  const { bundle } = await openBundle(contentFiles(make(sha256Hex)));
  if (bundle === undefined) throw new Error("no bundle");
  return bundleAdapter({ bundle, engine, ...options });
}

/** Runs a world in batch on events and gives the pixels of each step. */
async function play(adapter: ModelAdapter, events: UserInputEventInput[], stepLimit: number, seed = 1) {
  const target = new RecordingTarget();
  const warnings: string[] = [];
  await runBatch({
    adapter,
    clock: new FakeClock(),
    source: eventListSource({ events }),
    outputs: [target],
    stepLimit,
    seed,
    onWarning: ({ kind }) => warnings.push(kind),
  });
  return { pixels: target.results.map(({ result }) => [...(result.output?.data ?? [])]), warnings, target };
}

describe("bundleAdapter", () => {
  test("says what the world is and what it needs before anything is loaded", async () => {
    const flow = await adapterOf(toyFlowWorld);
    expect(flow).toMatchObject({
      modelId: "toy-flow",
      title: "Toy: flow matching",
      promptVocabulary: ["calm", "wild", "warm", "cold"],
      promptSuggestions: ["calm warm", "wild", "cold"],
    });
    expect(flow.modelInputSchema.initialFields).toMatchObject([
      { name: "prompt", required: false, updatePolicy: "step_boundary", modality: "conditioning" },
    ]);
    expect(flow.describe?.(inferenceConfig({ modelId: "toy-flow" }))).toMatchObject({
      width: 8,
      height: 4,
      framesPerSecond: 10,
      framesPerStep: 2,
      firstStepFrames: 1,
      format: "rgbf32",
      range: "unit",
      deterministic: true,
    });
    const step = await adapterOf(toyStepWorld);
    expect(step.converters?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["keyboard_actions", "gamepad_actions", "conditioning"]) as string[],
    );
  });

  test("keys drive a world that is described by its manifest alone", async () => {
    const adapter = await adapterOf(toyStepWorld);
    const key = (eventType: string, timestampSeconds: number) => ({
      timestampSeconds,
      eventType,
      payload: { code: "KeyA", key: "a" },
    });
    const idle = await play(adapter, [], 6);
    const held = await play(adapter, [key("key_down", 0.1), key("key_up", 0.2)], 6);
    expect(held.pixels[1]).toEqual(idle.pixels[1]);
    expect(held.pixels[2]).not.toEqual(idle.pixels[2]);
    expect(idle.warnings).not.toContain("error");
  });

  test("A6: a key that is pressed changes the very next frame", async () => {
    const adapter = await adapterOf(toyStepWorld);
    for (const at of [0, 1, 2, 3]) {
      const timestampSeconds = at / 20 + 0.01;
      const events = [{ timestampSeconds, eventType: "key_down", payload: { code: "KeyD", key: "d" } }];
      const idle = await play(adapter, [], 5);
      const pressed = await play(adapter, events, 5);
      const first = pressed.pixels.findIndex((pixels, step) => pixels.join() !== idle.pixels[step]?.join());
      expect(first).toBe(at);
    }
  });

  test("a prompt that arrives changes the world, and nonsense does not end it", async () => {
    const adapter = await adapterOf(toyFlowWorld);
    const prompt = (text: string) => ({ timestampSeconds: 0.3, eventType: "prompt_set", payload: { prompt: text } });
    const plain = await play(adapter, [], 5);
    const changed = await play(adapter, [prompt("wild warm")], 5);
    expect(changed.pixels[1]).toEqual(plain.pixels[1]);
    expect(changed.pixels[2]).not.toEqual(plain.pixels[2]);
    const nonsense = await play(adapter, [prompt("qwertz")], 5);
    expect(nonsense.pixels).toEqual(plain.pixels);
    const reports = nonsense.target.results.flatMap(({ result }) => result.metadata.prompts ?? []);
    expect(reports).toContainEqual({
      prompt: { knownWords: [], unknownWords: ["qwertz"], cutWords: [], applied: false },
    });
  });

  test.each<[string, Partial<InferenceConfigInput>, RegExp]>([
    ["H3: fp16", { precision: "fp16" }, /precision: fp16: the weights of this bundle are stored in 32 bits/],
    ["H3: bf16", { precision: "bf16" }, /"bf16" is not supported/],
    ["H3: int8", { precision: "int8" }, /"int8" is not supported/],
    ["another device", { device: "tpu:0" }, /device: "tpu:0".*supported: cpu/],
    [
      "a number of steps without a schedule",
      { model: { denoisingSteps: 3 } },
      /denoisingSteps: 3 .* use one of 1, 2, 4/,
    ],
    ["other frames per step", { model: { framesPerStep: 4 } }, /framesPerStep/],
    [
      "a window that does not fit",
      { model: { cachePolicy: { kind: "rolling", windowFrames: 9, sinkFrames: 0 } } },
      /room for 4 entries/,
    ],
    [
      "a cache that keeps everything",
      { model: { cachePolicy: { kind: "full" } } },
      /cachePolicy: "full" is not supported/,
    ],
    ["an unknown option", { runtimeOptions: { turbo: true } }, /runtimeOptions: turbo/],
  ])("refuses %s before anything is loaded", async (_, config, message) => {
    const adapter = await adapterOf(toyFlowWorld);
    expect(() => checkConfigSupport(adapter, inferenceConfig({ ...config, modelId: adapter.modelId }))).toThrow(
      message,
    );
  });

  test("a world without a sampler knows no denoising steps", async () => {
    const adapter = await adapterOf(toyStepWorld);
    const config = inferenceConfig({ modelId: adapter.modelId, model: { denoisingSteps: 2 } });
    expect(() => checkConfigSupport(adapter, config)).toThrow(/denoisingSteps/);
  });

  test("samplers can be added and are used by their name", async () => {
    const levels: number[] = [];
    const watched = { ...flowMatching, refusedLevels: () => undefined };
    const adapter = await adapterOf(toyFlowWorld, {
      samplers: {
        flow_matching: {
          ...watched,
          sample: async (run) => {
            levels.push(...run.levels);
            const extra = run.noise(0);
            await flowMatching.sample(run);
            run.latent[0] = (run.latent[0] ?? 0) + (extra[0] ?? 0);
          },
        },
      },
    });
    const changed = await play(adapter, [], 2);
    const plain = await play(await adapterOf(toyFlowWorld), [], 2);
    expect(changed.pixels).not.toEqual(plain.pixels);
    expect(levels.slice(0, 3)).toEqual([1, 0.6, 0]);
    expect((await play(adapter, [], 2)).pixels).toEqual(changed.pixels);
  });

  test("timings name each graph and add up its calls", async () => {
    const clock = new FakeClock();
    const adapter = await adapterOf(toyFlowWorld, { clock });
    const { target } = await play(adapter, [], 3);
    const names = target.results.map(({ result }) =>
      result.metrics.filter(({ category }) => category === "timing").map(({ name }) => name),
    );
    expect(names[0]).toEqual(["graph.denoise", "graph.decode_first"]);
    expect(names[1]).toEqual(["graph.remember", "graph.denoise", "graph.decode"]);
  });
});
