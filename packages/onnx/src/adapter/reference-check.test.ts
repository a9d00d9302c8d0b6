import { inferenceConfig, type InferenceConfigInput } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { bundleAdapter, type BundleModelAdapter } from "./bundle-adapter.ts";
import { openBundle } from "../plan/open-bundle.ts";
import { checkBundleFiles } from "./check-bundle.ts";
import type { Engine, EngineFacts } from "../load/engine.ts";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { toyFlowWorld, toyStepWorld, type BundleContents } from "../testing/index.ts";
import { recordReference } from "./record-reference.ts";
import { manifestText, withReference } from "../manifest/reference-manifest.ts";

const here = nodeEngine();
const step = toyStepWorld(sha256Hex);
const flow = toyFlowWorld(sha256Hex);

interface ReferenceOptions {
  readonly frames?: number;
  readonly withEnvironment?: boolean;
  readonly minimumPsnr?: number;
}

/** A bundle with reference frames of itself. */
async function withFrames(contents: BundleContents, options: ReferenceOptions = {}): Promise<BundleContents> {
  const { frames = 2, withEnvironment = true, minimumPsnr = 30 } = options;
  const { raw, pixels, count, environment } = await recordReference(contentFiles(contents), { engine: here, frames });
  const manifest = withReference(
    { ...raw, referenceFrames: { minimumPsnr } },
    {
      ...{ bytes: pixels.length, sha256: sha256Hex(pixels), count },
      ...(withEnvironment ? { environment } : {}),
    },
  );
  return { ...contents, "reference.rgb": pixels, "world.json": new TextEncoder().encode(manifestText(manifest)) };
}

/** The bundle with one float of a file changed, its hash in the manifest kept up to date. */
function withWeight(
  contents: BundleContents,
  from: number,
  change: (weights: DataView, at: number) => void,
): BundleContents {
  const bytes = Uint8Array.from(contents["step.bin"] ?? []);
  const view = new DataView(bytes.buffer);
  const at = Array.from({ length: bytes.length / 4 }, (_, index) => 4 * index).find(
    (offset) => view.getFloat32(offset, true) === Math.fround(from),
  );
  if (at === undefined) throw new Error(`no weight is ${from}`);
  change(view, at);
  const manifest = JSON.parse(new TextDecoder().decode(contents["world.json"])) as { files: Record<string, object> };
  manifest.files["step.bin"] = { bytes: bytes.length, sha256: sha256Hex(bytes) };
  return { ...contents, "step.bin": bytes, "world.json": new TextEncoder().encode(JSON.stringify(manifest)) };
}

const set =
  (value: number) =>
  (weights: DataView, at: number): void =>
    weights.setFloat32(at, value, true);

/** The engine with other facts or, by `change`, other kernels. */
function engineWith(
  facts: Partial<EngineFacts>,
  change?: (outputs: Readonly<Record<string, unknown>>) => void,
): Engine {
  return {
    name: here.name,
    devices: here.devices,
    defaultThreads: here.defaultThreads,
    openGraphs: 0,
    facts: async () => ({ ...(await here.facts()), ...facts }),
    createGraph: async (source, options) => {
      const graph = await here.createGraph(source, options);
      return {
        inputs: graph.inputs,
        outputs: graph.outputs,
        close: () => graph.close(),
        run: async (feeds, names) => {
          const results = await graph.run(feeds, names);
          change?.(Object.fromEntries(Object.entries(results).map(([name, { data }]) => [name, data])));
          return results;
        },
      };
    },
  };
}

const elsewhere = engineWith({ processor: "another processor" });

async function adapterOf(contents: BundleContents, engine: Engine): Promise<BundleModelAdapter> {
  const { bundle, faults } = await openBundle(contentFiles(contents));
  if (bundle === undefined) throw new Error(JSON.stringify(faults));
  return bundleAdapter({ bundle, engine });
}

/** Loads a bundle and says how it went; no graph stays open, however it ends. */
async function load(contents: BundleContents, engine = here, config: Partial<InferenceConfigInput> = {}) {
  const adapter = await adapterOf(contents, engine);
  const before = here.openGraphs;
  try {
    const runtime = await adapter.createRuntime(inferenceConfig({ ...config, modelId: adapter.modelId }), {});
    await runtime.close();
    return { ...runtime.status, facts: runtime.facts() };
  } finally {
    expect(here.openGraphs).toBe(before);
  }
}

describe("the reference check of a load", () => {
  test.each([
    ["one graph", step],
    ["a first step unlike the others", flow],
  ])("F4: the frames of %s are compared bit for bit where they were made", async (_, contents) => {
    for (const frames of [1, 2, 3, 8]) {
      const { referenceCheck, facts } = await load(await withFrames(contents, { frames }));
      expect(referenceCheck).toEqual({ compared: "bits", psnr: null, frames });
      expect(facts.referenceCheck).toEqual(referenceCheck);
    }
  });

  test("F4: with one weight a hair off the load fails in the same environment, and says why", async () => {
    const changed = withWeight(await withFrames(step), 255, set(254.5));
    await expect(load(changed)).rejects.toMatchObject({
      code: "load_failed",
      message: expect.stringMatching(
        /^reference check of world "toy-step": frame 0: expected the very bits of reference\.rgb.*found \d+ other bytes \(its PSNR is \d\d\.\d\d dB\); the reference was made with onnxruntime-node 1\.30\.0 on .*, this is onnxruntime-node .*dreamloop check FOLDER --write-reference/,
      ) as string,
      details: expect.objectContaining({ stage: "reference check", frame: 0 }) as object,
    });
  });

  test("F4: in another environment a hair is allowed, and the status says how far off it is and why", async () => {
    const sound = await withFrames(step);
    const { referenceCheck } = await load(withWeight(sound, 255, set(254.5)), elsewhere);
    expect(referenceCheck).toMatchObject({ compared: "psnr", frames: 2 });
    expect(referenceCheck.psnr).toBeGreaterThan(40);
    expect(referenceCheck.psnr).toBeLessThan(70);
    expect(referenceCheck.reason).toMatch(/made elsewhere: processor ".*" there, "another processor" here$/);
    const lowBit = withWeight(sound, 0.97, (view, at) => view.setUint8(at, view.getUint8(at) ^ 1));
    expect((await load(lowBit, elsewhere)).referenceCheck.compared).toBe("psnr");
    expect((await load(sound, elsewhere)).referenceCheck).toMatchObject({ compared: "psnr", psnr: null });
  });

  test("F4: far off, the load fails in another environment too, and says where each was made", async () => {
    const changed = withWeight(await withFrames(step), 255, set(180));
    await expect(load(changed, elsewhere)).rejects.toMatchObject({
      code: "load_failed",
      message: expect.stringMatching(
        /frame 0: expected a PSNR of at least 30 dB to reference\.rgb; found \d+\.\d\d dB; .*this is onnxruntime-node 1\.30\.0 on another processor/,
      ) as string,
    });
  });

  test("F4: what only a later frame shows is found in that frame", async () => {
    const changed = withWeight(await withFrames(step), 0.97, set(-0.5));
    await expect(load(changed)).rejects.toMatchObject({ details: { frame: 1 } });
    await expect(load(withWeight(await withFrames(step, { frames: 1 }), 0.97, set(-0.5)))).resolves.toBeDefined();
  });

  test("F4: a kernel that gives another bit is found although weights and environment are the recorded ones", async () => {
    const kernel = engineWith({}, ({ picture }) => void ((picture as Uint8Array)[7] ^= 1));
    await expect(load(await withFrames(step), kernel)).rejects.toMatchObject({
      code: "load_failed",
      details: { frame: 0, differingBytes: 1 },
    });
    await expect(load(await withFrames(step, { withEnvironment: false }), kernel)).resolves.toMatchObject({
      referenceCheck: { compared: "psnr", reason: expect.stringContaining("does not say where") as string },
    });
  });

  test.each<[string, Partial<EngineFacts>, Partial<InferenceConfigInput>]>([
    ["engine", { name: "another" }, {}],
    ["engineVersion", { version: "1.31.0" }, {}],
    ["processor", { processor: "" }, {}],
    ["threads", {}, { model: { threads: here.defaultThreads + 1 } }],
  ])("F4: another %s is another environment", async (name, facts, config) => {
    const { referenceCheck } = await load(await withFrames(step), engineWith(facts), config);
    expect(referenceCheck.compared).toBe("psnr");
    expect(referenceCheck.reason).toMatch(new RegExp(`^the reference frames were made elsewhere: ${name} `));
  });

  test("F4: the bundle says how alike frames have to be", async () => {
    const changed = withWeight(await withFrames(step, { minimumPsnr: 90 }), 255, set(254.5));
    await expect(load(changed, elsewhere)).rejects.toThrow(/expected a PSNR of at least 90 dB/);
  });

  test("F4: a check that is not made is reported with the reason", async () => {
    const sound = await withFrames(flow);
    const skipped = async (contents: BundleContents, config: Partial<InferenceConfigInput>) =>
      (await load(contents, here, config)).referenceCheck;
    const because = (reason: RegExp) => ({
      ...{ compared: "skipped", psnr: null, frames: 0 },
      reason: expect.stringMatching(reason) as string,
    });
    expect(await skipped(flow, {})).toEqual(because(/has no reference frames/));
    expect(await skipped(sound, { model: { denoisingSteps: 4 } })).toEqual(because(/denoisingSteps is 4/));
    const rolling = (windowFrames: number) => ({ kind: "rolling", windowFrames, sinkFrames: 1 }) as const;
    expect(await skipped(sound, { model: { cachePolicy: rolling(2) } })).toEqual(
      because(/the cache "memory" keeps 2 \+ 1 entries, not 3 \+ 1/),
    );
    // What is asked for is the default after all.
    const asked = { model: { denoisingSteps: 2, cachePolicy: rolling(3) } };
    expect(await skipped(sound, asked)).toMatchObject({ compared: "bits", frames: 2 });
  });

  test("F4: a second runtime of the same load tells what the first one found; other settings are looked at anew", async () => {
    const adapter = await adapterOf(await withFrames(flow), here);
    const runtimeOf = (model: InferenceConfigInput["model"]) =>
      adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId, model: model ?? {} }), {});
    const runtimes = [await runtimeOf({}), await runtimeOf({}), await runtimeOf({ denoisingSteps: 1 })];
    const compared = runtimes.map(({ status }) => status.referenceCheck.compared);
    expect(compared).toEqual(["bits", "bits", "skipped"]);
    await Promise.all(runtimes.map((runtime) => runtime.close()));
  });

  test("H1, F4: a check reports the fault with what to do, and without one how the load went", async () => {
    const sound = await withFrames(step);
    const check = (contents: BundleContents, engine: Engine) =>
      checkBundleFiles(contentFiles(contents), { level: "run", engine });
    expect(await check(sound, here)).toMatchObject({
      faults: [],
      status: { referenceCheck: { compared: "bits", frames: 2 }, fallbacks: [{ setting: "precision" }] },
    });
    const { faults, status } = await check(withWeight(sound, 255, set(180)), elsewhere);
    expect(status).toBeUndefined();
    expect(faults).toMatchObject([{ code: "reference_frames", file: "reference.rgb", path: "referenceFrames" }]);
    expect(faults[0]?.expected).toMatch(/30 dB/);
    expect(faults[0]?.found).toMatch(/^frame 0: .*this is .*another processor, \d+ threads?$/);
    expect(faults[0]?.mend).toMatch(/--write-reference/);
  });
});

describe("fallbacks", () => {
  test("F4: precision, providers and threads that are not what was asked for are in the status and the facts", async () => {
    const { availableThreads } = await here.facts();
    const threads = availableThreads + 1;
    const engine = engineWith({ askedProviders: ["webgpu", "cpu"], providers: ["cpu"] });
    const { fallbacks, facts } = await load(step, engine, { precision: "auto", model: { threads } });
    expect(fallbacks).toEqual([
      { setting: "precision", asked: "auto", used: "fp32" },
      { setting: "providers", asked: "webgpu, cpu", used: "cpu" },
      { setting: "threads", asked: `${threads}`, used: `${threads} that share ${availableThreads} at the same time` },
    ]);
    expect(facts.fallbacks).toEqual(fallbacks);
  });

  test("F4: nothing is reported where everything is what was asked for", async () => {
    expect((await load(step, here, { precision: "fp32", model: { threads: 1 } })).fallbacks).toEqual([]);
  });
});
