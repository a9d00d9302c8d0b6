import { describe, expect, test } from "vitest";
import { readManifest, readManifestText } from "./read-manifest.ts";

const small = {
  formatVersion: 1,
  id: "small",
  title: "Small",
  licence: "MIT",
  files: {},
  video: { width: 2, height: 2, framesPerSecond: 10, layout: "tchw", range: "unit" },
  inputs: {},
  graphs: {},
  pipeline: { step: [{ type: "set", from: "constant:black", to: "frames" }] },
};

describe("readManifest", () => {
  test("fills in every default", () => {
    const { manifest, faults } = readManifest(small);
    expect(faults).toEqual([]);
    expect(manifest).toMatchObject({
      description: "",
      precision: "fp32",
      model: {},
      domainOptions: {},
      randomStreams: [],
      constants: {},
      state: {},
      inputs: { initial: {}, step: {}, alternatives: [] },
      video: { framesPerStep: 1, colorSpace: "srgb", inputLatencySteps: 0 },
      pipeline: { condition: [], start: [], finalize: [] },
    });
  });

  test("H2: names every unknown key with the nearest known one, wherever it stands", () => {
    const { faults } = readManifest({
      ...small,
      tittle: "x",
      video: { ...small.video, fps: 3 },
      state: { keys: { update: "append", dtype: "float32", shape: [1], axis: 0, window: 1, sinks: 2 } },
      pipeline: { step: [{ type: "graph", graph: "g", inputs: {}, outputs: {}, input: {} }] },
    });
    const seen = faults.map(({ code, path, mend }) => [code, path, /"(\w+)"\?/.exec(mend)?.[1]]);
    expect(seen).toHaveLength(4);
    expect(seen).toContainEqual(["unknown_key", "tittle", "title"]);
    expect(seen).toContainEqual(["unknown_key", "video.fps", undefined]);
    expect(seen).toContainEqual(["unknown_key", "state.keys.sinks", "sink"]);
    expect(seen).toContainEqual(["unknown_key", "pipeline.step[0].input", "inputs"]);
  });

  test("says what is expected in words, not in the terms of a schema library", () => {
    const { faults } = readManifest({
      ...small,
      id: "My World",
      licence: "",
      graphs: {
        g: { role: "denoiser", file: "g.onnx", inputs: { x: { dtype: "float32", shape: ["batch"] } }, outputs: {} },
      },
      state: { s: { dtype: "float32", shape: [1] }, "2": { update: "replace", dtype: "float32", shape: [1] } },
      pipeline: { step: [{ type: "graph", graph: "g", inputs: { x: true }, outputs: {} }] },
    });
    const seen = Object.fromEntries(faults.map(({ path, expected, found }) => [path, `${expected} | ${found}`]));
    expect(seen).toEqual({
      id: 'lower-case letters, digits, . _ -, at most 100 | "My World"',
      licence: 'a length of at least 1 | ""',
      "graphs.g.role":
        'one of "prompt", "encode", "condition", "denoise", "step", "cache", "decode", "other" | "denoiser"',
      "graphs.g.inputs.x.shape[0]": 'A length of at least 1, or "any" | "batch"',
      "state.s.update": 'one of "replace", "append" | nothing',
      'state["2"]': 'a name: a letter or _, then letters, digits, . _ -, at most 128 in all | "2"',
      "pipeline.step[0].inputs.x":
        "A number for every element, a reference such as state:keys, or a counter with a modulo | boolean true",
    });
  });

  test("a manifest of another version is told apart from one that is wrong", () => {
    expect(readManifest({ formatVersion: 7, whatever: 1 }).faults.map(({ code }) => code)).toEqual(["format_version"]);
    expect(readManifest({ ...small, formatVersion: undefined }).faults.map(({ code }) => code)).toEqual([
      "missing_key",
    ]);
  });

  test("text that is no JSON is a fault", () => {
    expect(readManifestText('{"id": "x",}').faults[0]).toMatchObject({ code: "not_json", file: "world.json" });
    expect(readManifestText(JSON.stringify(small)).faults).toEqual([]);
  });

  test("keys of the language do no harm", () => {
    const { faults } = readManifestText('{"formatVersion": 1, "__proto__": {"id": "x"}, "graphs": {"__proto__": {}}}');
    expect(faults.length).toBeGreaterThan(0);
    expect(({} as { id?: string }).id).toBeUndefined();
  });
});
