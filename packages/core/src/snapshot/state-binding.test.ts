import { describe, expect, test } from "vitest";
import { inferenceConfig, sessionDescription } from "../index.ts";
import { requireSameBinding, type StateBinding } from "./state-binding.ts";

const here: StateBinding = {
  modelId: "drive",
  description: sessionDescription({ worldId: "drive", width: 32, height: 32, framesPerSecond: 10, framesPerStep: 1 }),
  config: inferenceConfig({ modelId: "drive", model: { denoisingSteps: 2 }, resourceHints: { host: "a" } }),
  versions: { "mapping:drive": "1" },
  runtimeFacts: { engine: "onnx", engineVersion: "1", weightHashes: { decode: "1" }, threads: 2, processor: "x" },
};
const facts = (change: object): StateBinding => ({ ...here, runtimeFacts: { ...here.runtimeFacts, ...change } });

describe("what a snapshot is bound to", () => {
  test.each<readonly [string, StateBinding]>([
    ["world", { ...here, modelId: "probe" }],
    ["session description.width", { ...here, description: { ...here.description, width: 64 } }],
    [
      "configuration.model.denoisingSteps",
      { ...here, config: inferenceConfig({ modelId: "drive", model: { denoisingSteps: 3 } }) },
    ],
    ["version.mapping:drive", { ...here, versions: { "mapping:drive": "2" } }],
    ["weights (weightHashes.decode)", facts({ weightHashes: { decode: "2" } })],
    ["engineVersion", facts({ engineVersion: "2" })],
  ])("O5: another %s is refused by name", (name, bound) => {
    expect(() => requireSameBinding(bound, here)).toThrow(
      expect.objectContaining({
        code: "snapshot_refused",
        message: expect.stringContaining(`another ${name}:`) as string,
      }),
    );
  });

  test("O5: threads and processor are named and do not refuse; another engine may be allowed", () => {
    expect(requireSameBinding(here, here)).toEqual([]);
    expect(requireSameBinding(facts({ threads: 4, processor: "y" }), here)).toEqual([
      "threads: 4 → 2",
      'processor: "y" → "x"',
    ]);
    const allowed = requireSameBinding(facts({ engineVersion: "2" }), here, { allowOtherEngine: true });
    expect(allowed).toEqual(['engineVersion: "2" → "1"']);
    const elsewhere = { ...here, config: inferenceConfig({ modelId: "drive", model: { denoisingSteps: 2 } }) };
    expect(requireSameBinding(elsewhere, here)).toEqual([]);
  });
});
