import { describe, expect, it, onTestFinished } from "vitest";
import {
  checkMappingCompatibility,
  eventCatalogue,
  eventListSource,
  inferenceConfig,
  inputField,
  isDreamloopError,
  modelConfig,
  modelInputs,
  modelInputSchema,
  NullOutputTarget,
  planRun,
  randomStream,
  sessionDescription,
  stepResult,
  userInputs,
  userInputSchema,
  videoChunk,
} from "../../index.ts";
import { assertModelAdapter } from "../../adapter/model-adapter.ts";
import { isSatisfiedBy } from "../../inputs/user-input-schema.ts";
import { runtimeMetricSample } from "../metrics/runtime-metric-sample.ts";
import { setJsonPath } from "../../model/inference-config.ts";

/** What plain JavaScript may do: call with anything. */
function message(call: (...values: never[]) => unknown, ...values: readonly unknown[]): string {
  try {
    (call as (...given: readonly unknown[]) => unknown)(...values);
  } catch (error) {
    if (isDreamloopError(error)) return error.message;
    throw error;
  }
  return "nothing was refused";
}

function schemaOf(validate: () => unknown): (value: unknown) => void {
  const schema = { "~standard": { version: 1, vendor: "test", validate } };
  const fields = modelInputSchema({ stepFields: [inputField({ name: "speed", schema } as never)] });
  return (value) => fields.requireStep(modelInputs({ step: { speed: value } }));
}

describe("attached schemas", () => {
  it("one that answers with a promise or a thenable is refused, and its later failure ends no process", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    expect(
      message(
        schemaOf(() => Promise.reject(new Error("later"))),
        1,
      ),
    ).toMatch(/step\.speed.*asynchronously/);
    expect(
      message(
        schemaOf(() => ({ then: () => undefined })),
        1,
      ),
    ).toMatch(/step\.speed.*asynchronously/);
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  it("one that throws or answers with nothing is refused by the field's name", () => {
    const throws = schemaOf(() => {
      throw new Error("burst");
    });
    expect(message(throws, 1)).toBe("ModelInputs.step.speed: the attached schema threw: burst");
    expect(
      message(
        schemaOf(() => undefined),
        1,
      ),
    ).toMatch(/^ModelInputs\.step\.speed: expected a result/);
  });
});

describe("lists and JSON", () => {
  it("holes of sparse lists are read as absent entries, not passed over", () => {
    expect(message(userInputs, { events: new Array(2) })).toMatch(/^UserInputEvent \(in UserInputs\.events\[0\]\)/);
    expect(message(inferenceConfig, { modelId: "a", model: new Array(1) })).toMatch(/InferenceConfig\.model\[0\]/);
    expect(message(inferenceConfig, { modelId: "a", runtimeOptions: { a: [1, , 2] } })).toMatch(
      /runtimeOptions\.a\[1\]/,
    );
  });

  it("JSON that refers to itself or is nested too deep is refused by name", () => {
    const ring: Record<string, unknown> = {};
    ring.ring = ring;
    expect(message(inferenceConfig, { modelId: "a", runtimeOptions: ring })).toMatch(/nested at most 64 deep/);
    expect(message(setJsonPath, {}, Array<string>(1000).fill("a").join("."), 1)).toMatch(/at most 64 names/);
    expect(message(setJsonPath, {}, "a..b", 1)).toBe('path: expected names joined by dots, found "a..b"');
  });

  it("names that every object inherits are neither present values nor paths", () => {
    expect(modelInputSchema({ stepFields: ["constructor"] }).missingStep(modelInputs())).toEqual(["constructor"]);
    expect(modelInputSchema({ initialFields: ["toString"] }).missingInitial({})).toEqual(["toString"]);
    expect(userInputSchema({ snapshotFields: ["valueOf"] }).missingSnapshot({})).toEqual(["valueOf"]);
    const source = userInputSchema({ capabilities: [{ eventType: "a", payloadFields: ["toString"] }] });
    expect(message(source.validateEvent.bind(source), { timestampSeconds: 0, eventType: "a" })).toMatch(/lacks/);
    expect(Object.entries(setJsonPath({}, "constructor.x", 1))).toEqual([["constructor", { x: 1 }]]);
    expect(Object.getPrototypeOf(setJsonPath({}, "__proto__.x", 1))).toBe(Object.prototype);
  });
});

describe("public functions take the plain literal", () => {
  it("and normalise it through the factory, or refuse it by name", () => {
    const schema = modelInputSchema({ initialFields: ["scene"], stepFields: ["speed"] });
    expect(schema.missingStep({})).toEqual(["speed"]);
    expect(schema.refusedUpdates({ update: { scene: 1 } })).toEqual(["scene"]);
    expect(message(schema.requireStep.bind(schema), 4)).toMatch(/^ModelInputs: expected an object/);
    expect(isSatisfiedBy("key_down", { eventType: "key_down" })).toBe(true);
    const source = userInputSchema({ eventTypes: ["a"] });
    expect(message(source.validateEvent.bind(source), { timestampSeconds: -4, eventType: "a" })).toMatch(/timestamp/);
    expect(message(source.supportsEventTypes.bind(source), "a")).toMatch(/expected a list/);
  });

  it.each([undefined, null, 4])("options that are %s are refused by the name of their type", (value) => {
    const calls = { eventListSource, eventCatalogue, checkMappingCompatibility, planRun, randomStream };
    for (const [name, call] of Object.entries(calls)) {
      if (name === "eventCatalogue" && value === undefined) continue;
      expect(`${name} ${message(call as () => unknown, value)}`).toMatch(/expected an object/);
    }
    if (value !== undefined) expect(message(() => new NullOutputTarget(value as never))).toMatch(/^NullOutputTarget: /);
  });

  it("null is no default", () => {
    expect(message(modelConfig, { cachePolicy: { kind: "rolling", windowFrames: 1, sinkFrames: null } })).toMatch(
      /^ModelConfig\.cachePolicy\.sinkFrames/,
    );
    expect(message(runtimeMetricSample, { name: "a", value: 1, category: null })).toMatch(/\.category/);
  });
});

describe("messages", () => {
  const chunk = { width: 2, height: 2, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full" } as const;

  it("say how long pixel data is, which integers can be told apart, and clip long names", () => {
    expect(message(videoChunk, { ...chunk, data: new Uint8Array(13) })).toMatch(/found a Uint8Array of 13$/);
    expect(message(runtimeMetricSample, { name: "a", value: 1, ["k".repeat(1e5)]: 1 }).length).toBeLessThan(300);
    expect(message(inferenceConfig, { modelId: "a", zzzzzzzzz: 1 })).toMatch(/unknown key\. Known keys: modelId/);
    expect(message(sessionDescription, { worldId: "a", width: 2 ** 60, height: 1, framesPerSecond: 1 })).toMatch(
      /16384/,
    );
    expect(message(stepResult, { stepIndex: 2 ** 60 })).toMatch(/not beyond ±9007199254740991/);
  });

  it("a count that differs from the output's says which would be right", () => {
    const output = { ...chunk, data: new Uint8Array(12) };
    expect(message(stepResult, { stepIndex: 0, frameCount: 3, output })).toBe(
      "StepResult.frameCount: expected 1, the frames of its output, or nothing, found number 3",
    );
  });

  it("E3: a description's range belongs to its format: unit for floats unless it says so, never full", () => {
    const size = { worldId: "a", width: 1, height: 1, framesPerSecond: 1 } as const;
    expect(sessionDescription({ ...size, format: "rgbf32" }).range).toBe("unit");
    expect(sessionDescription(size).range).toBe("full");
    expect(message(sessionDescription, { ...size, format: "rgbf32", range: "full" })).toMatch(/\.range/);
    expect(message(sessionDescription, { ...size, range: "signed" })).toMatch(/\.range/);
  });
});

describe("assertModelAdapter", () => {
  const adapter = {
    modelId: "a",
    modelInputSchema: modelInputSchema(),
    defaultInputMapping: () => undefined,
    validateConfig: () => undefined,
    createRuntime: () => undefined,
  };

  it.each([
    ["modelInputSchema", { missingInitial: () => [] }],
    ["userInputSchema", {}],
    ["converters", [{}]],
    ["converters", "keyboard"],
    ["version", 4],
    ["title", 4],
    ["describe", 4],
    ["runtimeOptionsSchema", 4],
    ["supports", { devices: "cpu" }],
    ["supports", { precisions: ["fp8"] }],
    ["supports", { device: ["cpu"] }],
    ["promptVocabulary", [4]],
    ["promptSuggestions", [4]],
    ["promptSuggestions", "night"],
  ])("refuses a wrong %s (case %#)", (field, value) => {
    expect(message(assertModelAdapter, adapter)).toBe("nothing was refused");
    expect(message(assertModelAdapter, { ...adapter, [field]: value })).toMatch(new RegExp(`^ModelAdapter\\.${field}`));
  });
});
