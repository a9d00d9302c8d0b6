import { DRIVER_COMMAND, inputMapping } from "@dreamloop/core";
import { refuse } from "@dreamloop/core/internal";
import { describe, expect, test } from "vitest";
import { readManifest } from "../manifest/read-manifest.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import { bindDomain } from "./bind-domain.ts";
import type { DomainContext, WorldDomain } from "./world-domain.ts";

const neutralAction = {
  "driver_command.throttle": { value: 0, unit: "m/s2" },
  "driver_command.stop": { value: false, unit: "1" },
};
const seen: DomainContext[] = [];
const sled: WorldDomain = {
  id: "test/sled@1",
  version: "3",
  neutralAction,
  bind(context) {
    seen.push(context);
    if (context.framesPerSecond > 30) refuse("video.framesPerSecond", "at most 30", context.framesPerSecond);
    return {
      mapping: inputMapping({ name: "sled", consumes: [DRIVER_COMMAND], producesStep: ["slope"] }),
      initialTensors: {},
      stepTensors: { slope: { dtype: "float32", shape: [1, 2] } },
    };
  },
};

function manifestOf(change: object = {}): WorldManifest {
  const { manifest, faults } = readManifest({
    formatVersion: 1,
    id: "sledge",
    title: "Sledge",
    licence: "MIT",
    files: {},
    domain: "test/sled@1",
    domainOptions: { hill: 4 },
    neutralAction,
    video: { width: 4, height: 2, framesPerSecond: 20, framesPerStep: 2, layout: "tchw", range: "unit" },
    inputs: {
      step: {
        slope: { type: "tensor", dtype: "float32", shape: [1, 2], from: "domain" },
        other: { type: "tensor", dtype: "float32", shape: [3] },
      },
    },
    graphs: {},
    pipeline: { step: [{ type: "set", from: "step:slope", to: "frames" }] },
    ...change,
  });
  expect(faults).toEqual([]);
  if (manifest === undefined) throw new Error("no manifest");
  return manifest;
}

function faultsOf(change: object, domain: WorldDomain = sled): string[] {
  const { faults } = bindDomain(manifestOf(change), { [domain.id]: domain });
  return faults.map(({ code, path, expected, found }) => `${code} ${path}: ${expected} | ${found}`);
}

describe("bindDomain", () => {
  test("tells the domain about the world and takes what it supplies", () => {
    const { binding, faults } = bindDomain(manifestOf(), { [sled.id]: sled });
    expect(faults).toEqual([]);
    expect(binding?.domain).toBe(sled);
    expect(seen[seen.length - 1]).toEqual({
      worldId: "sledge",
      width: 4,
      height: 2,
      framesPerSecond: 20,
      framesPerStep: 2,
      firstStepFrames: 2,
      initialInputs: {},
      stepInputs: { slope: { dtype: "float32", shape: [1, 2] } },
      options: { hill: 4 },
    });
  });

  test("a domain that is not registered is refused with those that are", () => {
    expect(faultsOf({ domain: "test/sled@2" })).toEqual([
      'domain domain: a domain that is registered: one of test/sled@1 | "test/sled@2"',
    ]);
  });

  test("what a domain says against a world is passed on", () => {
    const video = { width: 4, height: 2, framesPerSecond: 60, layout: "tchw", range: "unit" };
    expect(faultsOf({ video })[0]).toMatch(
      /^domain domain: .*\| video\.framesPerSecond: expected at most 30, found number 60/,
    );
  });

  test("inputs that the domain does not supply, or supplies otherwise, are faults", () => {
    const slope = { type: "tensor", dtype: "float32", shape: [1, 3], from: "domain" };
    expect(faultsOf({ inputs: { step: { slope } } })).toEqual([
      "domain inputs.step.slope: float32[1, 2], as the domain supplies it | float32[1, 3]",
    ]);
    expect(faultsOf({ inputs: { step: { slop: { ...slope, shape: [1, 2] } } } })).toEqual([
      'domain inputs.step.slop: an input that the domain supplies: one of slope | "slop"',
    ]);
  });

  test("A10: the manifest's neutral action has to be the domain's, in the same units", () => {
    const unit = { ...neutralAction, "driver_command.throttle": { value: 0, unit: "%" } };
    expect(faultsOf({ neutralAction: unit })).toHaveLength(1);
    expect(
      faultsOf({ neutralAction: { ...neutralAction, "driver_command.speed": { value: 0, unit: "m/s" } } }),
    ).toEqual([expect.stringMatching(/^neutral_action neutralAction\["driver_command\.speed"\]/) as string]);
    expect(faultsOf({ neutralAction: undefined })).toHaveLength(2);
    expect(faultsOf({ domain: undefined, inputs: {} })[0]).toMatch(/^neutral_action neutralAction: no such key/);
  });

  test("A10: an idle device has to give the neutral action", () => {
    const creeping = { ...neutralAction, "driver_command.throttle": { value: 0.1, unit: "m/s2" } };
    expect(faultsOf({ neutralAction: creeping }, { ...sled, neutralAction: creeping })).toEqual([
      'neutral_action neutralAction["driver_command.throttle"]: 0, which an idle device gives | 0.1 m/s2',
    ]);
  });
});
