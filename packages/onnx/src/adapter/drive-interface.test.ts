import { inferenceConfig, modelInputs, runBatch, type StepResult } from "@dreamloop/core";
import { driveDomain } from "@dreamloop/worlds/drive";
import { FakeClock, RecordingTarget } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { openBundle } from "../plan/open-bundle.ts";
import { checkBundleFiles } from "./check-bundle.ts";
import type { WorldManifestInput } from "../manifest/world-manifest.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { packBundle, standInModel, type BundleContents } from "../testing/index.ts";
import { bundleAdapter } from "./bundle-adapter.ts";

const engine = nodeEngine();
const domains = { [driveDomain.id]: driveDomain };

const LATENT = [1, 16, 14, 24];
const KEYS = [6, 4, 84, 192];
const ENTRY = [6, 1, 84, 192];
const MAP = [1, 6, 224, 384];
const GRID = [1, 48, 14, 24];
const PICTURE = [1, 3, 224, 384];
const float = (shape: number[]) => ({ dtype: "float32" as const, shape });

/** The graphs of training/README.md, "Graph interface", with stand-ins for the networks. */
const writing = {
  noisy_latent: float(LATENT),
  noise_level: float([1]),
  latent_before: float(LATENT),
  map_tokens: float([1, 84, 192]),
  condition_vector: float([1, 192]),
  cache_keys: float(KEYS),
  cache_values: float(KEYS),
  cache_length: float([1]),
};
const interfaces = {
  prompt: {
    inputs: { prompt_tokens: { dtype: "int64" as const, shape: [1, 16] } },
    outputs: { prompt_embedding: float([1, 64]) },
  },
  encode: { inputs: { frame: float(PICTURE) }, outputs: { latent: float(LATENT) } },
  condition: {
    inputs: { map: { dtype: "uint8" as const, shape: MAP }, motion: float([1, 8]), prompt_embedding: float([1, 64]) },
    outputs: { map_tokens: float([1, 84, 192]), map_grid: float(GRID), condition_vector: float([1, 192]) },
  },
  denoise: { inputs: { ...writing, map_grid: float(GRID) }, outputs: { velocity: float(LATENT) } },
  cache: { inputs: writing, outputs: { new_keys: float(ENTRY), new_values: float(ENTRY) } },
  decode: {
    inputs: { latent: float(LATENT), map: { dtype: "uint8" as const, shape: MAP } },
    outputs: { frame: float(PICTURE) },
  },
};

const conditions = { map_tokens: "value:map_tokens", condition_vector: "value:condition_vector" };
const caches = {
  latent_before: "state:latent_before",
  cache_keys: "state:cache_keys",
  cache_values: "state:cache_values",
  cache_length: "state:cache_keys/length",
};

const manifest: Omit<WorldManifestInput, "files"> = {
  formatVersion: 1,
  id: "drive-shape",
  title: "The drive world's interface",
  licence: "Apache-2.0",
  domain: "dreamloop/drive@1",
  neutralAction: driveDomain.neutralAction,
  video: { width: 384, height: 224, framesPerSecond: 20, layout: "tchw", range: "unit" },
  inputs: {
    initial: {
      prompt: {
        type: "prompt",
        dtype: "int64",
        shape: [1, 16],
        vocabulary: { words: { rain: 1, snow: 2, sunset: 3 } },
        default: "",
        updatePolicy: "step_boundary",
      },
      first_frame: { type: "image", required: false, dtype: "float32", shape: PICTURE, layout: "chw", range: "unit" },
      map: { type: "tensor", dtype: "uint8", shape: MAP, from: "domain" },
      motion: { type: "tensor", dtype: "float32", shape: [1, 8], from: "domain" },
    },
    step: {
      map: { type: "tensor", dtype: "uint8", shape: MAP, from: "domain", modality: "driver_command" },
      motion: { type: "tensor", dtype: "float32", shape: [1, 8], from: "domain", modality: "driver_command" },
    },
  },
  randomStreams: ["latent", "cache"],
  state: {
    latent_before: { update: "replace", dtype: "float32", shape: LATENT },
    cache_keys: { update: "append", dtype: "float32", shape: KEYS, axis: 1, window: 4 },
    cache_values: { update: "append", dtype: "float32", shape: KEYS, axis: 1, window: 4 },
  },
  graphs: {
    prompt: { role: "prompt", file: "prompt.onnx", ...interfaces.prompt },
    encode: { role: "encode", file: "encode.onnx", ...interfaces.encode },
    condition: { role: "condition", file: "condition.onnx", ...interfaces.condition },
    denoise: { role: "denoise", file: "denoise.onnx", ...interfaces.denoise },
    cache: { role: "cache", file: "cache.onnx", ...interfaces.cache },
    decode: { role: "decode", file: "decode.onnx", ...interfaces.decode },
  },
  pipeline: {
    condition: [
      {
        type: "graph",
        graph: "prompt",
        inputs: { prompt_tokens: "initial:prompt" },
        outputs: { prompt_embedding: "value:prompt_embedding" },
      },
    ],
    start: [
      {
        type: "graph",
        graph: "encode",
        when: "initial:first_frame",
        inputs: { frame: "initial:first_frame" },
        outputs: { latent: ["value:first_latent", "state:latent_before"] },
      },
      {
        type: "graph",
        graph: "condition",
        when: "initial:first_frame",
        inputs: { map: "initial:map", motion: "initial:motion", prompt_embedding: "value:prompt_embedding" },
        outputs: { map_tokens: "value:first_map_tokens", condition_vector: "value:first_condition" },
      },
      {
        type: "add_noise",
        when: "initial:first_frame",
        latent: "value:first_latent",
        noise: "noise:cache",
        level: 0.1,
        output: "value:first_noisy",
      },
      {
        type: "graph",
        graph: "cache",
        when: "initial:first_frame",
        inputs: {
          ...caches,
          noisy_latent: "value:first_noisy",
          noise_level: 0.1,
          map_tokens: "value:first_map_tokens",
          condition_vector: "value:first_condition",
        },
        outputs: { new_keys: "state:cache_keys", new_values: "state:cache_values" },
      },
    ],
    step: [
      {
        type: "graph",
        graph: "condition",
        inputs: { map: "step:map", motion: "step:motion", prompt_embedding: "value:prompt_embedding" },
        outputs: {
          map_tokens: "value:map_tokens",
          map_grid: "value:map_grid",
          condition_vector: "value:condition_vector",
        },
      },
      {
        type: "sample",
        latent: "noise:latent",
        graph: "denoise",
        inputs: {
          ...conditions,
          ...caches,
          map_grid: "value:map_grid",
          noisy_latent: "sampler:latent",
          noise_level: "sampler:level",
        },
        prediction: "velocity",
        output: "value:latent",
        schedules: [
          [1, 0],
          [1, 0.6, 0],
          [1, 0.75, 0.5, 0.25, 0],
        ],
        defaultSteps: 1,
      },
      {
        type: "graph",
        graph: "decode",
        inputs: { latent: "value:latent", map: "step:map" },
        outputs: { frame: "frames" },
      },
    ],
    finalize: [
      { type: "set", from: "value:latent", to: "state:latent_before" },
      { type: "add_noise", latent: "value:latent", noise: "noise:cache", level: 0.1, output: "value:noisy" },
      {
        type: "graph",
        graph: "cache",
        inputs: { ...conditions, ...caches, noisy_latent: "value:noisy", noise_level: 0.1 },
        outputs: { new_keys: "state:cache_keys", new_values: "state:cache_values" },
      },
    ],
  },
};

function contents(change: Partial<typeof manifest> = {}): BundleContents {
  const models = Object.fromEntries(Object.entries(interfaces).map(([name, ports]) => [name, standInModel(ports)]));
  return packBundle({ manifest: { ...manifest, ...change }, models, digest: sha256Hex });
}

async function adapter() {
  const { bundle, faults } = await openBundle(contentFiles(contents()));
  expect(faults).toEqual([]);
  if (bundle === undefined) throw new Error("no bundle");
  return bundleAdapter({ bundle, engine, domains });
}

describe("a bundle with the drive world's interface", () => {
  test("passes every phase of the check", async () => {
    const { faults, level } = await checkBundleFiles(contentFiles(contents()), { level: "run", engine, domains });
    expect(faults).toEqual([]);
    expect(level).toBe("run");
  });

  test("A10: another neutral action than the domain's is a fault, and so is none", async () => {
    const faultsOf = async (neutralAction: (typeof manifest)["neutralAction"]) =>
      (await checkBundleFiles(contentFiles(contents({ neutralAction })), { level: "structure", domains })).faults;
    const throttle = { ...manifest.neutralAction, "driver_command.throttle": { value: 0.2, unit: "m/s2" } };
    const [other, ...more] = await faultsOf(throttle);
    expect(other).toMatchObject({ code: "neutral_action", path: 'neutralAction["driver_command.throttle"]' });
    expect(other?.found).toContain("0.2");
    expect(more).toEqual([]);
    const none = await faultsOf(undefined);
    expect(none.map(({ code }) => code)).toEqual(Object.keys(driveDomain.neutralAction).map(() => "neutral_action"));
  });

  test("drives with nobody at the wheel, and a first frame makes another drive of it", async () => {
    const target = new RecordingTarget();
    await runBatch({ adapter: await adapter(), clock: new FakeClock(), outputs: [target], stepLimit: 6, seed: 3 });
    const frames = target.results.map(({ result }: { result: StepResult }) => result.output?.data.length);
    expect(frames).toEqual(new Array(6).fill(3 * 224 * 384));

    const world = await adapter();
    const runtime = await world.createRuntime(inferenceConfig({ modelId: world.modelId }), {});
    const data = new Uint8Array(384 * 224 * 3).fill(200);
    const picture = {
      width: 384,
      height: 224,
      format: "rgb8",
      layout: "thwc",
      colorSpace: "srgb",
      range: "full",
      data,
    };
    const mapping = world.defaultInputMapping();
    const start = async (initial: Readonly<Record<string, unknown>>) => {
      const mapped = mapping.mapInitialInputs({ modelInputs: modelInputs({ initial }), state: mapping.createState(3) });
      const session = await runtime.startSession(modelInputs(mapped.inputs), { seed: 3 });
      const snapshot = session.snapshot();
      return (snapshot.data as { states: Record<string, { content: { total: number } }> }).states.cache_keys?.content;
    };
    expect((await start({}))?.total).toBe(0);
    expect((await start({ first_frame: picture }))?.total).toBe(1);
    await runtime.close();
  });
});
