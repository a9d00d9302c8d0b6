import { describe, expect, it } from "vitest";
import { canonicalInputs } from "../canonical/canonical-inputs.ts";
import { modelInputSchema } from "./model-input-schema.ts";
import { modelInputs, type ModelInputs } from "./model-inputs.ts";
import { stepRequest } from "./step-request.ts";
import { conditioningMapping } from "./conditioning-mapping.ts";

const request = stepRequest({ stepIndex: 3 });
const MODEL = modelInputSchema({
  initialFields: [
    { name: "text", updatePolicy: "step_boundary" },
    { name: "picture", updatePolicy: "step_boundary" },
    { name: "scene" },
  ],
});

function mapped(
  mapping: ReturnType<typeof conditioningMapping>,
  conditioning: Readonly<Record<string, unknown>> | undefined,
  before: ModelInputs = modelInputs(),
): ModelInputs {
  const canonical = canonicalInputs({ values: conditioning === undefined ? {} : { conditioning } });
  return mapping.mapStepInputs({ canonical, request, modelInputs: before, state: null }).inputs as ModelInputs;
}

describe("conditioningMapping", () => {
  const mapping = conditioningMapping({ fields: { prompt: "text", image: "picture" } });

  it("turns what arrived into an update of the fields it feeds, and leaves others alone", () => {
    expect(mapped(mapping, { prompt: "snow", negativePrompt: "sun" }).update).toEqual({ text: "snow" });
    const image = new Uint8Array(3);
    const before = modelInputs({ step: { go: 1 }, update: { text: "rain", other: 1 } });
    const after = mapped(mapping, { prompt: "", image }, before);
    expect(after.update).toEqual({ text: "", picture: image, other: 1 });
    expect(after.update.picture).toBe(image);
    expect(after.step).toEqual({ go: 1 });
  });

  it("returns the very same inputs when nothing arrived that it feeds", () => {
    const inputs = modelInputs({ step: { go: 1 } });
    expect(mapped(mapping, undefined, inputs)).toBe(inputs);
    expect(mapped(mapping, { negativePrompt: "sun" }, inputs)).toBe(inputs);
  });

  it("passes initial inputs as they are and never blocks a source without prompts", () => {
    const inputs = modelInputs({ initial: { text: "day" } });
    expect(mapping.mapInitialInputs({ modelInputs: inputs, state: null }).inputs).toBe(inputs);
    expect(mapping).toMatchObject({ name: "conditioning", consumes: [], producesUpdate: ["text", "picture"] });
    expect(mapping.consumesOptional.map(({ name }) => name)).toEqual(["conditioning"]);
  });

  it("accepts a model whose fields may change at a step boundary, or no model", () => {
    expect(() => mapping.validate(undefined, MODEL)).not.toThrow();
    expect(() => mapping.validate(undefined, undefined)).not.toThrow();
  });

  it("refuses a model without the field, naming the nearest, and a field that only a session start may give", () => {
    const misspelt = conditioningMapping({ fields: { prompt: "tekst" } });
    expect(() => misspelt.validate(undefined, MODEL)).toThrow(/fields\.prompt: .*"tekst"; did you mean "text"\?/);
    const far = conditioningMapping({ fields: { prompt: "something" } });
    expect(() => far.validate(undefined, MODEL)).toThrow(/its initial fields: text, picture, scene/);
    const fixed = conditioningMapping({ fields: { textEvent: "scene" } });
    expect(() => fixed.validate(undefined, MODEL)).toThrow(/fields\.textEvent: .*"scene".*session starts/);
  });

  it("refuses unknown parts, no part, blank targets and one target for two parts", () => {
    expect(() => conditioningMapping({ fields: { promt: "text" } } as never)).toThrow(/fields\.promt: .*"prompt"/);
    expect(() => conditioningMapping({ fields: {} })).toThrow(/at least one field/);
    expect(() => conditioningMapping({ fields: { prompt: undefined } })).toThrow(/at least one field/);
    expect(() => conditioningMapping({ fields: { prompt: " " } })).toThrow(/fields\.prompt/);
    expect(() => conditioningMapping({ fields: { prompt: "t", image: "t" } })).toThrow(/each model field once/);
    expect(() => conditioningMapping({ fields: { prompt: "t" }, nam: 1 } as never)).toThrow(/nam: .*"name"/);
    expect(() => conditioningMapping(undefined as never)).toThrow(/ConditioningMappingOptions/);
  });
});
