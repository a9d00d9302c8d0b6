import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inferenceConfig, modelInputs, type InferenceConfigInput } from "@dreamloop/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../load/engine.ts";
import { SharedLoads } from "../load/shared-loads.ts";
import type { LoadedBundle } from "../load/loaded-bundle.ts";
import { toyFlowWorld, toyStepWorld } from "../testing/index.ts";
import { checkBundle, folderFiles, loadBundle, nodeEngine, sha256Hex, writeContents } from "./index.ts";

let root: string;
let flow: string;
let step: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "dreamloop-onnx-"));
  flow = join(root, "flow");
  step = join(root, "step");
  await writeContents(flow, toyFlowWorld(sha256Hex));
  await writeContents(step, toyStepWorld(sha256Hex));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function runtimeOf(
  folder: string,
  options: Parameters<typeof loadBundle>[1],
  config: Partial<InferenceConfigInput> = {},
) {
  const adapter = await loadBundle(folder, options);
  return adapter.createRuntime(inferenceConfig({ ...config, modelId: adapter.modelId }), {});
}

describe("bundles in folders", () => {
  test("are checked and loaded by the name of the folder", async () => {
    expect(await checkBundle(flow, { level: "run" })).toMatchObject({ worldId: "toy-flow", level: "run", faults: [] });
    const engine = nodeEngine();
    const runtime = await runtimeOf(step, { engine });
    const session = await runtime.startSession(modelInputs(), { seed: 1 });
    const { output } = await session.step(modelInputs(), {});
    expect(output?.data.length).toBe(6 * 5 * 3);
    await runtime.close();
    expect(engine.openGraphs).toBe(0);
  });

  test("a folder without a manifest is refused with what to do", async () => {
    await expect(loadBundle(root)).rejects.toMatchObject({
      code: "bundle_invalid",
      message: expect.stringMatching(/world\.json.*Point at the folder that holds the manifest/s) as string,
    });
  });

  test("H1: links and paths that lead out of the folder are refused, links within it are not", async () => {
    const folder = join(root, "links");
    await writeContents(folder, toyStepWorld(sha256Hex));
    await rm(join(folder, "step.bin"));
    await symlink(join(step, "step.bin"), join(folder, "step.bin"));
    const { faults } = await checkBundle(folder, { level: "structure" });
    expect(faults).toMatchObject([{ code: "path_unsafe", path: 'files["step.bin"]' }]);
    expect(faults[0]?.found).toMatch(/link out of the bundle/);
    const files = folderFiles(folder);
    await expect(files.read("step.bin")).rejects.toMatchObject({ code: "not_found" });
    await expect(files.read("../step/step.bin")).rejects.toMatchObject({ code: "invalid_value" });
    expect(await files.stat("../step/step.bin").catch(() => "refused")).toBe("refused");

    await mkdir(join(folder, "data"));
    await writeFile(join(folder, "data", "inner.txt"), "x");
    await symlink(join(folder, "data", "inner.txt"), join(folder, "inner.txt"));
    expect(await files.stat("inner.txt")).toEqual({ bytes: 1 });
    expect(await files.stat("data")).toBeUndefined();
  });

  test.skipIf(process.platform === "win32")(
    "H1: a folder, a socket and a link to nothing are named for what they are",
    async () => {
      const folder = join(root, "kinds");
      await writeContents(folder, toyStepWorld(sha256Hex));
      await rm(join(folder, "step.bin"));
      await mkdir(join(folder, "step.bin"));
      await rm(join(folder, "step.onnx"));
      const server = createServer().listen(join(folder, "step.onnx"));
      await once(server, "listening");
      const { faults } = await checkBundle(folder, { level: "structure" });
      expect(faults.map(({ code, file, found }) => `${code} ${file}: ${found}`)).toEqual([
        "file_missing step.onnx: a socket",
        "file_missing step.bin: a folder",
      ]);
      await rm(join(folder, "world.json"));
      await symlink(join(folder, "nowhere.json"), join(folder, "world.json"));
      expect((await checkBundle(folder)).faults).toMatchObject([
        { code: "manifest_missing", found: "a link to nothing" },
      ]);
    },
  );

  test("a world that needs more memory than it may have is refused before it is loaded; else as many sessions as fit", async () => {
    const engine = nodeEngine();
    const memoryOf = (memoryBytes: number) => runtimeOf(flow, { engine }, { runtimeOptions: { memoryBytes } });
    await expect(memoryOf(2048)).rejects.toMatchObject({
      code: "bundle_invalid",
      message: expect.stringMatching(/at most 2\.0 KiB of memory.*--memory SIZE/s) as string,
    });
    expect(engine.openGraphs).toBe(0);
    const all = Object.values(toyFlowWorld(sha256Hex)).reduce((sum, { length }) => sum + length, 0);
    const runtime = await memoryOf(all + 3 * 80 * 2);
    expect(runtime.maxSessions).toBeGreaterThanOrEqual(2);
    expect(runtime.maxSessions).toBeLessThan(64);
    await runtime.close();
  });

  test("J4: the same bundle loaded twice is one load, which the last runtime to close frees", async () => {
    const engine = nodeEngine();
    const loads = new SharedLoads<LoadedBundle>();
    const [one, two] = await Promise.all([runtimeOf(flow, { engine, loads }), runtimeOf(flow, { engine, loads })]);
    const graphs = 5;
    expect(engine.openGraphs).toBe(graphs);
    const three = await runtimeOf(flow, { engine, loads });
    const other = await runtimeOf(flow, { engine, loads }, { model: { threads: 1 } });
    expect(engine.openGraphs).toBe(2 * graphs);
    await other.close();
    await one.close();
    await one.close();
    await two.close();
    expect(engine.openGraphs).toBe(graphs);
    const session = await three.startSession(modelInputs(), { seed: 1 });
    await session.step(modelInputs(), {});
    await three.close();
    expect(engine.openGraphs).toBe(0);
    expect(loads.size).toBe(0);
    await expect(Promise.resolve(session.step(modelInputs(), {}))).rejects.toMatchObject({ code: "closed" });
  });

  test("a load that is cancelled at any graph frees every graph that it had made", async () => {
    for (let cancelAt = 1; cancelAt <= 5; cancelAt += 1) {
      const engine = nodeEngine();
      const controller = new AbortController();
      let made = 0;
      const watched: Engine = {
        name: engine.name,
        devices: engine.devices,
        defaultThreads: engine.defaultThreads,
        openGraphs: 0,
        facts: () => engine.facts(),
        createGraph: async (source, options) => {
          const graph = await engine.createGraph(source, options);
          made += 1;
          if (made === cancelAt) controller.abort();
          return graph;
        },
      };
      const loads = new SharedLoads<LoadedBundle>();
      const adapter = await loadBundle(flow, { engine: watched, loads });
      const load = adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), { signal: controller.signal });
      await expect(load).rejects.toMatchObject({ code: "cancelled" });
      while (loads.size > 0) await new Promise(setImmediate);
      expect(made).toBe(cancelAt);
      expect(engine.openGraphs).toBe(0);
    }
  });

  test("H3: a bundle whose warm-up fails is not ready and leaves nothing behind", async () => {
    const engine = nodeEngine();
    const broken: Engine = {
      name: engine.name,
      devices: engine.devices,
      defaultThreads: engine.defaultThreads,
      openGraphs: 0,
      facts: () => engine.facts(),
      createGraph: async (source, options) => {
        const graph = await engine.createGraph(source, options);
        return {
          inputs: graph.inputs,
          outputs: graph.outputs,
          close: () => graph.close(),
          run: async (feeds, names) => {
            const results = await graph.run(feeds, names);
            results.frames?.data.fill(NaN as never);
            return results;
          },
        };
      },
    };
    await expect(runtimeOf(flow, { engine: broken })).rejects.toMatchObject({
      code: "bad_frame",
      message: expect.stringMatching(/^warm-up of world "toy-flow": .*NaN at index 0/) as string,
    });
    expect(engine.openGraphs).toBe(0);
  });

  test("H1: a damaged file is refused before any graph is made", async () => {
    const folder = join(root, "damaged");
    const contents = toyStepWorld(sha256Hex);
    const bytes = Uint8Array.from(contents["step.bin"] ?? []);
    bytes[0] = (bytes[0] ?? 0) ^ 255;
    await writeContents(folder, { ...contents, "step.bin": bytes });
    const engine = nodeEngine();
    await expect(runtimeOf(folder, { engine })).rejects.toMatchObject({
      code: "bundle_invalid",
      message: expect.stringMatching(/step\.bin.*copy it again/s) as string,
    });
    const runtime = await runtimeOf(folder, { engine, verifyHashes: false });
    await runtime.close();
    expect(engine.openGraphs).toBe(0);
  });

  test("an engine that is not installed is named with how to install it", async () => {
    const engine = nodeEngine({ load: () => Promise.reject(new Error("Cannot find module")) });
    await expect(runtimeOf(flow, { engine })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("npm install onnxruntime-node@1.30.0") as string,
    });
  });

  test("G1: facts say what a trace needs to be repeated", async () => {
    const runtime = await runtimeOf(flow, {}, { model: { threads: 1, denoisingSteps: 4 } });
    const facts = runtime.facts?.();
    expect(facts).toMatchObject({
      engine: "onnxruntime-node",
      engineVersion: "1.30.0",
      providers: ["cpu"],
      threads: 1,
      precision: "fp32",
      quantisation: "none",
      denoisingSteps: 4,
      cachePolicy: "auto",
      caches: { memory: { window: 3, sink: 1 } },
      samplers: { flow_matching: "1" },
    });
    const hashes = facts?.weightHashes as Record<string, string>;
    expect(hashes["decode.bin"]).toBe(sha256Hex(toyFlowWorld(sha256Hex)["decode.bin"] ?? new Uint8Array()));
    await runtime.close();
  });

  test("I1: after 100 sessions no graph is open that was not before", async () => {
    const engine = nodeEngine();
    const runtime = await runtimeOf(flow, { engine });
    const before = engine.openGraphs;
    for (let index = 0; index < 100; index += 1) {
      const session = await runtime.startSession(modelInputs(), { seed: index });
      await session.step(modelInputs(), {});
      await session.close();
    }
    expect(engine.openGraphs).toBe(before);
    await runtime.close();
    expect(engine.openGraphs).toBe(0);
  });
});
