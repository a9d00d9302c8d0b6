import { describe, expect, it } from "vitest";
import type { DreamloopError } from "./index.ts";
import {
  identityInputMapping,
  inferenceConfig,
  InMemoryMetricsRecorder,
  inputField,
  inputMapping,
  isDreamloopError,
  modelConfig,
  modelInputs,
  modelInputSchema,
  NullOutputTarget,
  outputArtifact,
  sessionDescription,
  stepRequest,
  stepResult,
  timeWindow,
  userInputEvent,
  userInputs,
  userInputSchema,
  videoChunk,
} from "./index.ts";
import { nullMetricsRecorder } from "./foundation/metrics/metrics-recorder.ts";
import { runtimeMetricSample } from "./foundation/metrics/runtime-metric-sample.ts";
import { userInputCapability } from "./inputs/user-input-schema.ts";

/** Calls a factory as untyped JavaScript would. */
const call = (factory: (value: never) => unknown, value: unknown) => (): unknown => factory(value as never);
const chunk = {
  width: 1,
  height: 1,
  format: "rgb8",
  layout: "thwc",
  colorSpace: "srgb",
  range: "full",
  data: new Uint8Array(3),
} as const;

describe("the behaviours of the reference's own tests", () => {
  it("keeps the values of a configuration, has no presentation fields, and its options reject writes", () => {
    const config = inferenceConfig({
      modelId: "world",
      presetId: "fast",
      checkpoint: "best",
      device: "cpu",
      precision: "fp16",
      runtimeOptions: { width: 8 },
    });
    expect(config).toMatchObject({
      modelId: "world",
      presetId: "fast",
      backend: "local",
      precision: "fp16",
      runtimeOptions: { width: 8 },
    });
    expect(() => {
      (config.runtimeOptions as Record<string, unknown>).width = 9;
    }).toThrow(TypeError);
    expect(() => {
      (config as unknown as Record<string, unknown>).modelId = "other";
    }).toThrow(TypeError);
  });

  it("has no field for prompts, controls, output paths, browser settings or benchmark directories", () => {
    for (const key of [
      "prompt",
      "initialInputs",
      "controls",
      "actions",
      "outputPath",
      "out",
      "host",
      "port",
      "browser",
      "benchmarkDirectory",
    ]) {
      expect(call(inferenceConfig, { modelId: "m", [key]: "x" })).toThrow(`InferenceConfig.${key}`);
    }
  });

  it("is plain JSON, so that it crosses threads and goes into traces", () => {
    const config = inferenceConfig({
      modelId: "m",
      model: [{ threads: 2 }, { cachePolicy: { kind: "rolling", windowFrames: 4, sinkFrames: 1 } }],
    });
    const copy = JSON.parse(JSON.stringify(config)) as typeof config;
    expect(inferenceConfig(copy)).toEqual(config);
    expect(structuredClone(config)).toEqual(config);
  });

  it("passes when required initial inputs are present and names the missing step input", () => {
    const schema = modelInputSchema({ initialFields: ["prompt"], stepFields: ["action"] });
    const inputs = modelInputs({ initial: { prompt: "a road" } });
    expect(schema.missingInitial(inputs)).toEqual([]);
    expect(schema.missingStep(inputs)).toEqual(["action"]);
    expect(() => schema.requireInitial(inputs)).not.toThrow();
    expect(() => schema.requireStep(inputs)).toThrow(/ModelInputs\.step.*"action"/);
  });

  it("knows alternatives: a prompt, or a prompt and a first frame", () => {
    const schema = modelInputSchema({
      initialFields: [{ name: "prompt" }, { name: "firstFrame" }],
      alternatives: [["prompt"], ["prompt", "firstFrame"]],
    });
    expect(schema.missingInitial(modelInputs({ initial: { prompt: "x" } }))).toEqual([]);
    expect(schema.missingInitial(modelInputs())).toEqual(["prompt or (prompt and firstFrame)"]);
  });

  it("keeps only the event at 0.4 of 0.1, 0.4, 0.8 in the window [0.25, 0.75)", () => {
    const inputs = userInputs({
      events: [0.1, 0.4, 0.8].map((timestampSeconds) => ({ timestampSeconds, eventType: "key_down" })),
      snapshot: { held: true },
      metadata: { inputSequence: 3 },
    });
    const inside = inputs.window({ startSeconds: 0.25, endSeconds: 0.75 });
    expect(inside.events.map(({ timestampSeconds }) => timestampSeconds)).toEqual([0.4]);
    expect(inside).toMatchObject({ snapshot: { held: true }, metadata: { inputSequence: 3 } });
  });

  it("includes a window's start and excludes its end; equal bounds are empty", () => {
    const window = timeWindow({ startSeconds: 1, endSeconds: 2 });
    expect([0.999, 1, 1.999, 2].map((time) => window.contains(time))).toEqual([false, true, true, false]);
    expect(timeWindow({ startSeconds: 1, endSeconds: 1 }).contains(1)).toBe(false);
  });

  it("refuses unsorted events, and keeps the order of equal times", () => {
    const at = (timestampSeconds: number, eventType: string): { timestampSeconds: number; eventType: string } => ({
      timestampSeconds,
      eventType,
    });
    expect(() => userInputs({ events: [at(1, "a"), at(0.5, "b")] })).toThrow(
      /UserInputs\.events\[1\]\.timestampSeconds/,
    );
    expect(userInputs({ events: [at(1, "b"), at(1, "a")] }).events.map(({ eventType }) => eventType)).toEqual([
      "b",
      "a",
    ]);
  });

  it("answers for declared and undeclared event types and payload fields", () => {
    const schema = userInputSchema({
      eventTypes: ["focus"],
      capabilities: [{ eventType: "key_down", payloadFields: ["code"] }],
    });
    expect(schema.supportsEventTypes([])).toBe(true);
    expect(schema.supportsEventTypes(["focus", "key_down"])).toBe(true);
    expect(schema.supportsEventTypes(["mouse_move"])).toBe(false);
    expect(schema.supports({ eventType: "key_down", payloadFields: ["code"] })).toBe(true);
    expect(schema.supports({ eventType: "focus", payloadFields: ["focused"] })).toBe(false);
    expect(() =>
      schema.validateEvent(userInputEvent({ timestampSeconds: 0, eventType: "key_down", payload: {} })),
    ).toThrow(/"code"/);
    expect(() => schema.validateEvent(userInputEvent({ timestampSeconds: 0, eventType: "nope" }))).toThrow(
      /UserInputEvent\.eventType/,
    );
  });

  it("says which snapshot fields are required, optional and missing", () => {
    const schema = userInputSchema({ snapshotFields: ["held", { name: "pose", required: false }] });
    expect(schema.missingSnapshot({ held: [] })).toEqual([]);
    expect(schema.missingSnapshot({})).toEqual(["held"]);
    expect(() => schema.requireSnapshot({})).toThrow(/UserInputs\.snapshot.*"held"/);
  });

  it("satisfies a capability by type, modality and payload", () => {
    const schema = userInputSchema({
      capabilities: [{ eventType: "gamepad_state", modality: "gamepad", payloadFields: ["axes", "buttons"] }],
    });
    expect(schema.supports({ eventType: "gamepad_state", payloadFields: ["axes"] })).toBe(true);
    expect(schema.supports({ eventType: "gamepad_state", modality: "wheel" })).toBe(false);
  });

  it("gives the very same inputs back through the identity mapping", () => {
    const inputs = modelInputs({ step: { action: 1 } });
    const context = {
      modelInputs: inputs,
      state: null,
      canonical: { values: {}, metadata: {} },
      request: stepRequest({ stepIndex: 0 }),
    };
    expect(identityInputMapping.mapStepInputs(context).inputs).toBe(inputs);
    expect(identityInputMapping.mapInitialInputs(context).inputs).toBe(inputs);
  });

  it("has a null target that is closed at first, counts, and starts anew when it is opened again", () => {
    const target = new NullOutputTarget({ storeResults: true });
    const description = sessionDescription({ worldId: "w", width: 1, height: 1, framesPerSecond: 1 });
    expect(target.isOpen).toBe(false);
    expect(() => target.write(stepResult({ stepIndex: 0 }))).toThrow(/closed/);
    target.open(description);
    target.write(stepResult({ stepIndex: 0, output: chunk }));
    expect(target).toMatchObject({ resultCount: 1, frameCount: 1 });
    target.open(description);
    expect(target).toMatchObject({ resultCount: 0, frameCount: 0, results: [] });
    target.write(stepResult({ stepIndex: 0, output: chunk }));
    expect(target.close()).toEqual([]);
    expect(target.close()).toEqual([]);
    expect(target).toMatchObject({ isOpen: false, resultCount: 1 });
    expect(call((options: never) => new NullOutputTarget(options), { resultCount: 5 })).toThrow(
      /NullOutputTarget\.resultCount/,
    );
  });

  it("records timings in memory, refuses them after close, and keeps nothing in the null recorder", () => {
    const recorder = new InMemoryMetricsRecorder();
    recorder.recordTiming("model_step", 0.25, { stepIndex: 3 });
    expect(recorder.samples).toEqual([
      { name: "model_step", value: 0.25, unit: "s", stepIndex: 3, category: "timing", metadata: {} },
    ]);
    recorder.close();
    recorder.close();
    expect(() => recorder.record({ name: "x", value: 1 })).toThrow(/closed/);
    expect(recorder.samples).toHaveLength(1);
    expect(nullMetricsRecorder.record({ name: "x", value: 1 })).toBeUndefined();
  });
});

describe("wrong values from plain JavaScript are refused by the name of the culprit", () => {
  const event = { timestampSeconds: 0, eventType: "a" };
  const sample = { name: "n", value: 1 };
  const description = { worldId: "w", width: 1, height: 1, framesPerSecond: 1 };
  const wrong: readonly (readonly [string, () => unknown])[] = [
    ["InferenceConfig", call(inferenceConfig, null)],
    ["InferenceConfig.modelId", call(inferenceConfig, {})],
    ["InferenceConfig.modelId", call(inferenceConfig, { modelId: "  " })],
    ["InferenceConfig.modelId", call(inferenceConfig, { modelId: 3 })],
    ["InferenceConfig.backend", call(inferenceConfig, { modelId: "m", backend: "cloud" })],
    ["InferenceConfig.precision", call(inferenceConfig, { modelId: "m", precision: "fp8" })],
    ["InferenceConfig.device", call(inferenceConfig, { modelId: "m", device: "" })],
    ["InferenceConfig.presetId", call(inferenceConfig, { modelId: "m", presetId: 1 })],
    ["InferenceConfig.checkpoint", call(inferenceConfig, { modelId: "m", checkpoint: [] })],
    ["InferenceConfig.model", call(inferenceConfig, { modelId: "m", model: [] })],
    ["ModelConfig.threads", call(inferenceConfig, { modelId: "m", model: [{ threads: 1 }, { threads: 0 }] })],
    ["InferenceConfig.runtimeOptions.f", call(inferenceConfig, { modelId: "m", runtimeOptions: { f: () => 1 } })],
    ["InferenceConfig.runtimeOptions", call(inferenceConfig, { modelId: "m", runtimeOptions: [1] })],
    ["InferenceConfig.resourceHints.d", call(inferenceConfig, { modelId: "m", resourceHints: { d: new Date(0) } })],
    ["InferenceConfig.modelid", call(inferenceConfig, { modelId: "m", modelid: "m" })],
    ["ModelConfig.compile", call(modelConfig, { compile: "yes" })],
    ["ModelConfig.graphCapture", call(modelConfig, { graphCapture: 1 })],
    ["ModelConfig.attentionBackend", call(modelConfig, { attentionBackend: "" })],
    ["ModelConfig.cachePolicy", call(modelConfig, { cachePolicy: "full" })],
    ["ModelConfig.cachePolicy.kind", call(modelConfig, { cachePolicy: { kind: "ring" } })],
    ["ModelConfig.cachePolicy.windowFrames", call(modelConfig, { cachePolicy: { kind: "rolling", windowFrames: 0 } })],
    [
      "ModelConfig.cachePolicy.sinkFrames",
      call(modelConfig, { cachePolicy: { kind: "rolling", windowFrames: 2, sinkFrames: -1 } }),
    ],
    ["ModelConfig.cachePolicy.windowFrames", call(modelConfig, { cachePolicy: { kind: "full", windowFrames: 2 } })],
    ["ModelConfig.denoisingSteps", call(modelConfig, { denoisingSteps: 1.5 })],
    ["ModelConfig.framesPerStep", call(modelConfig, { framesPerStep: Number.NaN })],
    ["ModelConfig.threads", call(modelConfig, { threads: true })],
    ["ModelConfig.thread", call(modelConfig, { thread: 2 })],
    ["TimeWindow.startSeconds", call(timeWindow, { startSeconds: -1, endSeconds: 0 })],
    ["TimeWindow.endSeconds", call(timeWindow, { startSeconds: 1, endSeconds: 0.5 })],
    ["TimeWindow.endSeconds", call(timeWindow, { startSeconds: 0, endSeconds: Number.NaN })],
    ["TimeWindow.startSeconds", call(timeWindow, { startSeconds: Infinity, endSeconds: Infinity })],
    ["TimeWindow.start", call(timeWindow, { startSeconds: 0, endSeconds: 1, start: 0 })],
    ["UserInputEvent.timestampSeconds", call(userInputEvent, { ...event, timestampSeconds: -1 })],
    ["UserInputEvent.timestampSeconds", call(userInputEvent, { ...event, timestampSeconds: "0" })],
    ["UserInputEvent.eventType", call(userInputEvent, { ...event, eventType: " " })],
    ["UserInputEvent.payload", call(userInputEvent, { ...event, payload: [] })],
    ["UserInputEvent.source", call(userInputEvent, { ...event, source: 1 })],
    ["UserInputEvent.sourceEventId", call(userInputEvent, { ...event, sourceEventId: {} })],
    ["UserInputEvent.id", call(userInputEvent, { ...event, id: 1 })],
    ["UserInputs.events", call(userInputs, { events: "none" })],
    ["UserInputEvent.eventType", call(userInputs, { events: [{ timestampSeconds: 0 }] })],
    ["UserInputs.snapshot", call(userInputs, { snapshot: null })],
    ["UserInputs.metadata", call(userInputs, { metadata: 1 })],
    ["UserInputCapability.eventType", call(userInputCapability, { eventType: "" })],
    ["UserInputCapability.payloadFields", call(userInputCapability, { eventType: "a", payloadFields: "code" })],
    ["UserInputSchema.eventTypes[0]", call(userInputSchema, { eventTypes: [""] })],
    ["SnapshotField.required", call(userInputSchema, { snapshotFields: [{ name: "a", required: 1 }] })],
    ["InputField.name", call(inputField, { name: "" })],
    ["InputField.updatePolicy", call(inputField, { name: "a", updatePolicy: "always" })],
    ["InputField.schema", call(inputField, { name: "a", schema: {} })],
    ["InputField.required", call(inputField, { name: "a", required: "no" })],
    ["ModelInputSchema.initialFields", call(modelInputSchema, { initialFields: ["a", "a"] })],
    ["ModelInputSchema.alternatives", call(modelInputSchema, { initialFields: ["a"], alternatives: [["b"]] })],
    ["ModelInputSchema.fields", call(modelInputSchema, { fields: [] })],
    ["ModelInputs.initial", call(modelInputs, { initial: 1 })],
    ["ModelInputs.update", call(modelInputs, { update: [] })],
    ["ModelInputs.prompt", call(modelInputs, { prompt: "x" })],
    ["InputMapping.name", call(inputMapping, { name: "" })],
    ["InputMapping.mapStepInputs", call(inputMapping, { name: "a", mapStepInputs: 1 })],
    ["InputMapping.produces", call(inputMapping, { name: "a", produces: [] })],
    ["StepRequest.stepIndex", call(stepRequest, { stepIndex: -1 })],
    ["TimeWindow.endSeconds", call(stepRequest, { stepIndex: 0, userInputWindow: { startSeconds: 2, endSeconds: 1 } })],
    ["StepResult.stepIndex", call(stepResult, { stepIndex: -1 })],
    ["StepResult.frameCount", call(stepResult, { stepIndex: 0, frameCount: -1 })],
    ["StepResult.frameCount", call(stepResult, { stepIndex: 0, frameCount: 2, output: chunk })],
    ["StepResult.generation", call(stepResult, { stepIndex: 0, generation: 0.5 })],
    ["VideoChunk.data", call(videoChunk, { ...chunk, data: new Uint8Array(4) })],
    ["VideoChunk.data", call(videoChunk, { ...chunk, data: [0, 0, 0] })],
    ["VideoChunk.data", call(videoChunk, { ...chunk, data: new Uint8Array(6), frameCount: 1 })],
    ["VideoChunk.width", call(videoChunk, { ...chunk, width: 0 })],
    ["VideoChunk.layout", call(videoChunk, { ...chunk, layout: "hwc" })],
    ["VideoChunk.format", call(videoChunk, { ...chunk, format: "bgr8" })],
    ["VideoChunk.colorSpace", call(videoChunk, { ...chunk, colorSpace: "p3" })],
    ["RuntimeMetricSample.name", call(runtimeMetricSample, { ...sample, name: "" })],
    ["RuntimeMetricSample.value", call(runtimeMetricSample, { ...sample, value: Number.NaN })],
    ["RuntimeMetricSample.stepIndex", call(runtimeMetricSample, { ...sample, stepIndex: -1 })],
    ["RuntimeMetricSample.unit", call(runtimeMetricSample, { ...sample, unit: " " })],
    ["RuntimeMetricSample.unit", call(runtimeMetricSample, { ...sample, category: "timing", unit: "ms" })],
    ["RuntimeMetricSample.category", call(runtimeMetricSample, { ...sample, category: "time" })],
    ["OutputArtifact.kind", call(outputArtifact, { kind: "", uri: "a" })],
    ["OutputArtifact.uri", call(outputArtifact, { kind: "a", uri: " " })],
    ["SessionDescription.worldId", call(sessionDescription, { ...description, worldId: "" })],
    ["SessionDescription.framesPerSecond", call(sessionDescription, { ...description, framesPerSecond: 0 })],
    ["SessionDescription.firstStepFrames", call(sessionDescription, { ...description, firstStepFrames: 0 })],
    ["SessionDescription.fps", call(sessionDescription, { ...description, fps: 30 })],
  ];

  it.each(wrong)("%s (case %#)", (name, make) => {
    let thrown: unknown;
    try {
      make();
    } catch (error) {
      thrown = error;
    }
    expect(isDreamloopError(thrown)).toBe(true);
    expect((thrown as DreamloopError).message.startsWith(`${name}`)).toBe(true);
    expect((thrown as DreamloopError).message).toMatch(/expected|unknown key|is given in/);
  });

  it("a boolean metric value is refused as not numeric, and rules are checked in their order", () => {
    expect(call(runtimeMetricSample, { name: "n", value: true })).toThrow(
      /RuntimeMetricSample\.value: expected a numeric value, found boolean true/,
    );
    expect(call(runtimeMetricSample, { name: "", value: true, stepIndex: -1, unit: "" })).toThrow(/\.name/);
    expect(call(runtimeMetricSample, { name: "n", value: true, stepIndex: -1, unit: "" })).toThrow(/\.value/);
    expect(call(runtimeMetricSample, { name: "n", value: Infinity, stepIndex: -1, unit: "" })).toThrow(/\.value/);
    expect(call(runtimeMetricSample, { name: "n", value: 1, stepIndex: -1, unit: "" })).toThrow(/\.stepIndex/);
    expect(call(runtimeMetricSample, { name: "n", value: 1, unit: "", category: "timing" })).toThrow(/\.unit/);
  });

  it("E3: uint8 data in a 0-1 path and float data in a 0-255 path are refused, and nothing is guessed", () => {
    expect(call(videoChunk, { ...chunk, range: "unit" })).toThrow(/VideoChunk\.range.*"full" or "limited"/);
    expect(call(videoChunk, { ...chunk, format: "rgbf32", range: "full", data: new Float32Array(3) })).toThrow(
      /VideoChunk\.range/,
    );
    expect(call(videoChunk, { ...chunk, format: "rgbf32", range: "unit" })).toThrow(/VideoChunk\.data.*Float32Array/);
    for (const missing of ["format", "layout", "colorSpace", "range"]) {
      expect(call(videoChunk, { ...chunk, [missing]: undefined })).toThrow(`VideoChunk.${missing}`);
    }
  });

  it("names both places when the culprit stands inside of another value", () => {
    expect(call(userInputs, { events: [{ timestampSeconds: -1, eventType: "a" }] })).toThrow(
      /^UserInputEvent\.timestampSeconds \(in UserInputs\.events\[0\]\)/,
    );
  });

  it("suggests the nearest known key", () => {
    expect(call(inferenceConfig, { modelId: "m", precison: "fp32" })).toThrow(/did you mean "precision"/);
  });
});

describe("values", () => {
  it("are copied and frozen, with pixel data by reference", () => {
    const payload = { code: "KeyA" };
    const made = userInputEvent({ timestampSeconds: 1, eventType: "key_down", payload });
    payload.code = "KeyB";
    expect(made.payload.code).toBe("KeyA");
    expect(Object.isFrozen(made.payload)).toBe(true);
    const data = new Uint8Array(3);
    expect(videoChunk({ ...chunk, data }).data).toBe(data);
    const tensor = new Float32Array(2);
    expect(modelInputs({ step: { tensor } }).step.tensor).toBe(tensor);
  });

  it("pass their own factory again unchanged, and are equal by value", () => {
    const window = timeWindow({ startSeconds: 0, endSeconds: 1 });
    expect(timeWindow(window)).toBe(window);
    expect(timeWindow({ startSeconds: 0, endSeconds: 1 })).toEqual(window);
    const inputs = modelInputs({ initial: { a: 1 } });
    expect(modelInputs(inputs)).toBe(inputs);
    expect(inputs.withStep({ b: 2 }).withUpdate({ a: 3 })).toMatchObject({
      initial: { a: 1 },
      step: { b: 2 },
      update: { a: 3 },
    });
    expect(inputs.step).toEqual({});
  });

  it("refuse asynchronous schemas on fields", () => {
    const schema = {
      "~standard": { version: 1, vendor: "test", validate: () => Promise.resolve({ value: 1 }) },
    } as const;
    const model = modelInputSchema({ initialFields: [{ name: "a", schema }] });
    expect(() => model.requireInitial(modelInputs({ initial: { a: 1 } }))).toThrow(
      /ModelInputs\.initial\.a.*asynchronously/,
    );
  });
});
