import { describe, expect, it } from "vitest";
import { canonicalInputSchema } from "../canonical/canonical-inputs.ts";
import { isDreamloopError } from "../foundation/dreamloop-error.ts";
import { checkMappingCompatibility, type MappingCompatibilityOptions } from "./compatibility.ts";
import { inputMapping } from "./input-mapping.ts";
import { mappingSet } from "./mapping-set.ts";

const STEERING = { name: "steering", payloadFields: ["steer"] };
const drive = inputMapping({ name: "drive", consumes: [STEERING], producesStep: ["command"] });
const autopilot = inputMapping({ name: "autopilot", producesStep: ["command"] });
const look = inputMapping({ name: "look", consumes: [{ name: "look_delta" }], producesStep: ["view"] });
const opening = inputMapping({ name: "opening", producesInitial: ["prompt"] });
const MODEL = {
  initialFields: ["prompt", { name: "style", required: false }],
  stepFields: ["command", { name: "view", required: false }],
};

function check(options: Partial<MappingCompatibilityOptions>): ReturnType<typeof checkMappingCompatibility> {
  return checkMappingCompatibility({
    canonicalSchema: canonicalInputSchema({ modalities: [STEERING] }),
    modelSchema: MODEL,
    mappings: [drive, look],
    modelInputs: { initial: { prompt: "rain" } },
    ...options,
  });
}

function errorOf(run: () => void): { readonly code: string; readonly message: string; readonly details: object } {
  try {
    run();
  } catch (error) {
    if (isDreamloopError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("checkMappingCompatibility", () => {
  it("reports and drops a mapping that cannot be fed, which blocks nothing when its field is optional", () => {
    const result = check({});
    expect(result.canDrive).toBe(true);
    expect(result.unavailableMappings.map(({ name, mapping }) => [name, mapping])).toEqual([["look", look]]);
    expect(result.missingModalities.map(({ name }) => name)).toEqual(["look_delta"]);
    expect(result.satisfiedRequiredFields).toEqual([
      { slot: "initial", name: "prompt" },
      { slot: "step", name: "command" },
    ]);
    expect(result.availableOptionalFields).toEqual([]);
    expect(result.missingRequiredFields).toEqual([]);
    expect(() => result.raiseIfIncompatible()).not.toThrow();
  });

  it("reports an optional field that a mapping which can be fed makes, or that the caller gives", () => {
    const modalities = [STEERING, { name: "look_delta" }];
    const result = check({
      canonicalSchema: canonicalInputSchema({ modalities }),
      modelInputs: { initial: { prompt: "rain", style: "ink" } },
    });
    expect(result.availableOptionalFields).toEqual([
      { slot: "initial", name: "style" },
      { slot: "step", name: "view" },
    ]);
  });

  it("blocks when the sole producer of a required field cannot be fed", () => {
    const result = check({ canonicalSchema: canonicalInputSchema() });
    expect(result.canDrive).toBe(false);
    expect(result.missingRequiredFields).toEqual([{ slot: "step", name: "command", producers: ["drive"] }]);
    expect(result.missingModalities.map(({ name }) => name)).toEqual(["steering", "look_delta"]);
  });

  it("does not block when another mapping makes the field", () => {
    const result = check({ canonicalSchema: canonicalInputSchema(), mappings: [drive, autopilot] });
    expect(result.canDrive).toBe(true);
    expect(result.unavailableMappings.map(({ name }) => name)).toEqual(["drive"]);
  });

  it("judges the members of a set one by one", () => {
    const result = check({
      canonicalSchema: canonicalInputSchema(),
      mappings: mappingSet([drive, mappingSet([autopilot])]),
    });
    expect(result.canDrive).toBe(true);
    expect(result.unavailableMappings.map(({ name }) => name)).toEqual(["drive"]);
  });

  it("counts a modality that lacks a needed field as missing", () => {
    const result = check({ canonicalSchema: canonicalInputSchema({ modalities: [{ name: "steering" }] }) });
    expect(result.canDrive).toBe(false);
    expect(errorOf(() => result.raiseIfIncompatible()).message).toContain(`the source's "steering" lacks "steer"`);
  });

  it("never blocks on optional modalities", () => {
    const eager = inputMapping({ name: "eager", consumesOptional: [{ name: "nowhere" }], producesStep: ["command"] });
    const result = check({ canonicalSchema: canonicalInputSchema(), mappings: [eager] });
    expect(result).toMatchObject({ canDrive: true, missingModalities: [], unavailableMappings: [] });
  });

  it("takes initial fields from the caller or from a mapping, and nothing from an undefined entry", () => {
    expect(check({ modelInputs: {} }).missingRequiredFields).toEqual([
      { slot: "initial", name: "prompt", producers: [] },
    ]);
    expect(check({ modelInputs: { initial: { prompt: undefined } } }).canDrive).toBe(false);
    expect(check({ modelInputs: {}, mappings: [drive, opening] }).canDrive).toBe(true);
  });

  it("does not take an initial field for a step field of the same name", () => {
    const result = check({ mappings: [], modelInputs: { initial: { prompt: "", command: 1 } } });
    expect(result.missingRequiredFields.map(({ slot, name }) => `${slot}.${name}`)).toEqual(["step.command"]);
  });

  it("accepts a model that needs nothing, and no mapping at all", () => {
    expect(check({ modelSchema: {}, mappings: [], modelInputs: undefined }).canDrive).toBe(true);
  });
});

describe("checkMappingCompatibility with alternatives", () => {
  const modelSchema = {
    initialFields: ["prompt", "firstFrame", "scene", "size"],
    alternatives: [["prompt"], ["scene", "firstFrame"]],
  };

  it("is satisfied by one complete alternative", () => {
    const result = check({ modelSchema, mappings: [], modelInputs: { initial: { prompt: "", size: 1, scene: 2 } } });
    expect(result.canDrive).toBe(true);
    expect(result.satisfiedRequiredFields.map(({ name }) => name)).toEqual(["prompt", "size"]);
    expect(result.availableOptionalFields.map(({ name }) => name)).toEqual(["scene"]);
  });

  it("is satisfied by an alternative that caller and mapping complete together", () => {
    const scenes = inputMapping({ name: "scenes", producesInitial: ["scene"] });
    const result = check({ modelSchema, mappings: [scenes], modelInputs: { initial: { firstFrame: 1, size: 1 } } });
    expect(result.canDrive).toBe(true);
  });

  it("reports the whole choice as one entry, with the mapping that would complete it", () => {
    const scenes = inputMapping({ name: "scenes", consumes: [{ name: "map" }], producesInitial: ["scene"] });
    const result = check({ modelSchema, mappings: [scenes], modelInputs: { initial: { firstFrame: 1, size: 1 } } });
    expect(result.missingRequiredFields).toEqual([
      { slot: "initial", name: "prompt or (scene and firstFrame)", producers: ["scenes"] },
    ]);
    expect(errorOf(() => result.raiseIfIncompatible()).message).toContain('mapping "scenes" would make it');
  });
});

describe("raiseIfIncompatible", () => {
  it("says what is missing, which mapping would have made it and what that lacks", () => {
    const result = check({
      canonicalSchema: canonicalInputSchema({ modalities: [{ name: "actions" }] }),
      modelInputs: {},
    });
    const error = errorOf(() => result.raiseIfIncompatible());
    expect(error.code).toBe("incompatible_inputs");
    expect(error.message).toBe(
      'ModelInputs.initial: nothing supplies the required "prompt"; no mapping makes it: give it with the initial inputs. ' +
        'ModelInputs.step: nothing supplies the required "command"; mapping "drive" would make it but no converter can make ' +
        '"steering" from this source. The source supplies: actions',
    );
    expect(error.details).toEqual({
      missingRequiredFields: [
        { slot: "initial", name: "prompt", producers: [] },
        { slot: "step", name: "command", producers: ["drive"] },
      ],
      missingModalities: ["steering", "look_delta"],
    });
  });

  it("says of a step field that no mapping makes it", () => {
    const error = errorOf(() => check({ mappings: [] }).raiseIfIncompatible());
    expect(error.message).toContain('the required "command"; no mapping makes it: add one that does');
  });
});
