import { describe, expect, test } from "vitest";
import { contentFiles, nodeEngine, sha256Hex } from "../node/index.ts";
import { packBundle, toyFlowWorld, toyStepWorld, type BundleContents, type OnnxNode } from "../testing/index.ts";
import type { Engine, Graph } from "../load/engine.ts";
import { floatWeight } from "../testing/weights.ts";
import { checkBundleFiles } from "./check-bundle.ts";

/** A world whose only graph turns noise into frames by these nodes, from `x` to `y`; in the file the names have a prefix. */
function noiseWorld(nodes: readonly OnnxNode[], models = 1, prefix = ""): BundleContents {
  const x = { dtype: "float32" as const, shape: [1, 3, 2, 2] };
  const names = Array.from({ length: models }, (_, index) => `g${index}`);
  const ports = { inputs: { x }, outputs: { y: x } };
  return packBundle({
    manifest: {
      formatVersion: 1,
      id: "noise",
      title: "Noise",
      licence: "Apache-2.0",
      video: { width: 2, height: 2, framesPerSecond: 10, layout: "tchw", range: "unit" },
      inputs: {},
      randomStreams: ["picture"],
      graphs: Object.fromEntries(
        names.map((name) => [
          name,
          { role: "step", file: `${name}.onnx`, ...ports, ...(prefix === "" ? {} : { stripPrefix: prefix }) },
        ]),
      ),
      pipeline: {
        step: names.map((graph, index) => ({
          type: "graph",
          graph,
          inputs: { x: "noise:picture" },
          outputs: { y: index === 0 ? "frames" : `value:y${index}` },
        })),
      },
    },
    models: Object.fromEntries(
      names.map((name) => [
        name,
        {
          inputs: [{ name: `${prefix}x`, ...x }],
          outputs: [{ name: `${prefix}y`, ...x }],
          nodes,
          initializers: [floatWeight("zero", [1], [0])],
        },
      ]),
    ),
    digest: sha256Hex,
  });
}

async function check(contents: BundleContents) {
  const engine = nodeEngine();
  const stages: string[] = [];
  const report = await checkBundleFiles(contentFiles(contents), {
    level: "run",
    engine,
    onProgress: ({ stage }) => stages.push(stage),
  });
  expect(engine.openGraphs).toBe(0);
  return { ...report, stages: [...new Set(stages)] };
}

describe("the second and third phase of a check", () => {
  test("H1, H3: a sound bundle passes all phases, telling which one it is in, and leaves no graph behind", async () => {
    for (const contents of [toyFlowWorld(sha256Hex), toyStepWorld(sha256Hex)]) {
      const { faults, level, stages } = await check(contents);
      expect(faults).toEqual([]);
      expect(level).toBe("run");
      expect(stages).toEqual(["structure", "hashes", "graphs", "check", "weights", "warm-up"]);
    }
  });

  test("H1: a file that was changed is found by its hash, with progress up to the end", async () => {
    const contents = toyFlowWorld(sha256Hex);
    const bytes = Uint8Array.from(contents["decode.bin"] ?? []);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    const fractions: number[] = [];
    const report = await checkBundleFiles(contentFiles({ ...contents, "decode.bin": bytes }), {
      level: "run",
      engine: nodeEngine(),
      onProgress: ({ stage, fraction }) => void (stage === "hashes" && fractions.push(fraction ?? NaN)),
    });
    expect(report.level).toBe("hashes");
    expect(report.faults).toMatchObject([{ code: "hash", file: "decode.bin", found: sha256Hex(bytes) }]);
    expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
    expect(fractions[fractions.length - 1]).toBe(1);
  });

  test("H1: every graph that the engine refuses is reported, with its reason", async () => {
    const { faults } = await check(noiseWorld([{ op: "Sharpen", inputs: ["x"], outputs: ["y"] }], 3));
    expect(faults.map(({ code, file }) => `${code} ${file}`)).toEqual([
      "load_failed g0.onnx",
      "load_failed g1.onnx",
      "load_failed g2.onnx",
    ]);
    expect(faults[0]?.found).toMatch(/Sharpen/);
    expect(faults[0]?.mend).toMatch(/operators and an opset/);
  });

  test("H2: names behind the prefix of a compile wrapper are found by the manifest's explicit rule", async () => {
    const prefix = "_orig_mod.";
    const node = { op: "Sigmoid", inputs: [`${prefix}x`], outputs: [`${prefix}y`] };
    expect((await check(noiseWorld([node], 1, prefix))).faults).toEqual([]);
  });

  test("H1, H3, F1: NaN in the warm-up step is found and explained", async () => {
    const { faults } = await check(noiseWorld([{ op: "Div", inputs: ["x", "zero"], outputs: ["y"] }]));
    expect(faults).toMatchObject([{ code: "bad_frame", path: "pipeline", expected: "finite values in every frame" }]);
    expect(faults[0]?.found).toMatch(/warm-up of world "noise".*found -?Infinity at index 0 of 12/);
  });

  test("a graph that gives another shape than it declares is found by the warm-up step", async () => {
    const { faults } = await check(
      noiseWorld([{ op: "Concat", inputs: ["x", "x"], outputs: ["y"], attributes: { axis: 0 } }]),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]?.found).toMatch(/g0/);
  });

  test("G3: a graph that gives other numbers for the same inputs is found by running it twice", async () => {
    const engine = nodeEngine();
    let runs = 0;
    const restless: Engine = {
      ...{ name: engine.name, devices: engine.devices, defaultThreads: 1, openGraphs: 0, facts: () => engine.facts() },
      createGraph: async (source, options) => {
        const graph = await engine.createGraph(source, options);
        const run: Graph["run"] = async (feeds, names) => {
          const results = await graph.run(feeds, names);
          const y = results.y;
          return { y: { ...y, data: Float32Array.from(y.data as Float32Array, (value) => value + runs++) } };
        };
        return { inputs: graph.inputs, outputs: graph.outputs, run, close: () => graph.close() };
      },
    };
    const contents = noiseWorld([{ op: "Sigmoid", inputs: ["x"], outputs: ["y"] }]);
    const { faults } = await checkBundleFiles(contentFiles(contents), { level: "run", engine: restless });
    expect(faults).toMatchObject(
      [{ code: "not_repeatable", file: "g0.onnx", found: /"y" was another one/ }].map(({ found, ...rest }) => ({
        ...rest,
        found: expect.stringMatching(found) as unknown,
      })),
    );
    expect(engine.openGraphs).toBe(0);
  });

  test("a signal ends the check", async () => {
    const options = { level: "run", engine: nodeEngine(), signal: AbortSignal.abort() } as const;
    const cancelled = checkBundleFiles(contentFiles(toyFlowWorld(sha256Hex)), options);
    await expect(cancelled).rejects.toMatchObject({ code: "cancelled" });
  });
});
