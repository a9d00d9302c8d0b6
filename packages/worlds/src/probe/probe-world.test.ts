import { createHash } from "node:crypto";
import {
  canonicalInputs,
  inferenceConfig,
  isDreamloopError,
  modelInputs,
  neutralValue,
  DRIVER_COMMAND,
  stepRequest,
  stepResult,
  type InferenceConfigInput,
  type ModelInputs,
  type PixelData,
} from "@dreamloop/core";
import { assertModelAdapter, checkConfigSupport } from "@dreamloop/core/internal";
import { FakeClock } from "@dreamloop/testing";
import { describe, expect, test } from "vitest";
import { probeLayout } from "./layout.ts";
import { PROBE_PATCH_COLORS } from "./paint/palette.ts";
import { probeMapping } from "./probe-mapping.ts";
import { createProbeWorld, PROBE_VERSION, probeWorld } from "./probe-world.ts";
import { clockStepCost, hostStepCost } from "./step-cost.ts";

function configOf(input: Partial<InferenceConfigInput> = {}) {
  return inferenceConfig({ modelId: "probe", ...input });
}

async function pixels(runtimeOptions: Record<string, string | number>, step = {}): Promise<PixelData> {
  const runtime = await probeWorld.createRuntime(configOf({ runtimeOptions }), {});
  const session = await runtime.startSession(modelInputs({ initial: { prompt: "a red house" } }), { seed: 7 });
  const { output } = stepResult(await session.step(modelInputs({ step }), {}));
  await runtime.close();
  if (output === undefined) throw new Error("the probe world delivers frames");
  return output.data;
}

describe("the probe world's configuration", () => {
  test("is an adapter that describes its sessions before anything loads", () => {
    assertModelAdapter(probeWorld);
    expect(probeWorld.describe?.(configOf())).toMatchObject({
      worldId: "probe",
      width: 640,
      height: 360,
      framesPerSecond: 30,
      framesPerStep: 1,
      firstStepFrames: 1,
      format: "rgb8",
      inputLatencySteps: 0,
      deterministic: true,
    });
    const wide = configOf({ model: { framesPerStep: 12 }, runtimeOptions: { firstStepFrames: 9, format: "rgbf32" } });
    expect(probeWorld.describe?.(wide)).toMatchObject({ framesPerStep: 12, firstStepFrames: 9, range: "unit" });
  });

  test.each([
    [{ widht: 3 }, /runtimeOptions: widht: unknown option; did you mean "width"\?/],
    [{ width: 0 }, /runtimeOptions: width: expected an integer at least 1/],
    [{ height: 1.5 }, /runtimeOptions: height: expected an integer/],
    [{ framesPerSecond: 0 }, /runtimeOptions: framesPerSecond: .*above 0/],
    [{ framesPerStep: 17 }, /runtimeOptions: framesPerStep: .*at most 16/],
    [{ firstStepFrames: 0 }, /runtimeOptions: firstStepFrames/],
    [{ stepTimeSeconds: -1 }, /runtimeOptions: stepTimeSeconds/],
    [{ stepTimeSeconds: 61 }, /runtimeOptions: stepTimeSeconds/],
    [{ loadTimeSeconds: "1" }, /runtimeOptions: loadTimeSeconds: .*found "1"/],
    [{ blocking: 1 }, /runtimeOptions: blocking: expected true or false/],
    [{ format: "bgr8" }, /runtimeOptions: format: expected one of "rgb8"/],
    [{ layout: "hwc" }, /runtimeOptions: layout: expected one of "thwc"/],
    [{ stepLimit: 0 }, /runtimeOptions: stepLimit/],
    [{ maxSessions: 0 }, /runtimeOptions: maxSessions/],
    [{ failAtStep: -1 }, /runtimeOptions: failAtStep/],
    [{ nanAtStep: 1 }, /runtimeOptions\.nanAtStep: only float frames hold NaN/],
    [{ nanAtStep: 1, format: "rgbf32", instant: true }, /runtimeOptions\.nanAtStep: an instant step paints nothing/],
    [{ finalizeTimeSeconds: 1 }, /runtimeOptions\.finalizeTimeSeconds: steps are not finalised/],
    [{ width: 0, height: 0 }, /width: .*; height: /],
  ])("L1: the options %o are refused by name", (runtimeOptions, message) => {
    let found: unknown;
    try {
      checkConfigSupport(probeWorld, configOf({ runtimeOptions }));
    } catch (error) {
      found = error;
    }
    expect(isDreamloopError(found) && found.message).toMatch(message);
  });

  test("frames of a step may be given in either place, but not differently", () => {
    const model = { framesPerStep: 4 };
    checkConfigSupport(probeWorld, configOf({ model, runtimeOptions: { framesPerStep: 4 } }));
    expect(() => checkConfigSupport(probeWorld, configOf({ model, runtimeOptions: { framesPerStep: 2 } }))).toThrow(
      /framesPerStep: 2 contradicts ModelConfig\.framesPerStep 4/,
    );
    expect(() => checkConfigSupport(probeWorld, configOf({ model: { framesPerStep: 17 } }))).toThrow(/1 to 16/);
  });
});

describe("the probe world's frames", () => {
  test("G3: the same inputs give the bytes that this version has always given", async () => {
    const data = await pixels(
      { width: 320, height: 180, framesPerStep: 3 },
      { driverCommand: { throttle: 1, steer: 1 } },
    );
    // A change of the picture makes older traces differ: raise PROBE_VERSION with this digest.
    expect([
      PROBE_VERSION,
      createHash("sha256")
        .update(data as Uint8Array)
        .digest("hex"),
    ]).toEqual(["1", "e4ae98fa093c85826745f2be19bfcee52518214dc4e72f9cc8586194e09e9336"]);
  });

  test("the eight patches, the grey ramp and the checker have exactly their values", async () => {
    const width = 320;
    const data = await pixels({ width, height: 180 });
    const layout = probeLayout(width, 180);
    const at = (x: number, y: number): number[] => [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)];
    layout.patches.forEach((area, index) => {
      expect(at(area.x, area.y)).toEqual(PROBE_PATCH_COLORS[index]);
      expect(at(area.x + area.width - 1, area.y + area.height - 1)).toEqual(PROBE_PATCH_COLORS[index]);
    });
    const { ramp, checker } = layout;
    if (ramp === undefined || checker === undefined) throw new Error("320×180 has a ramp and a checker");
    const greys = Array.from({ length: ramp.width }, (_, column) => at(ramp.x + column, ramp.y)[0]);
    expect([greys[0], greys.at(-1)]).toEqual([0, 255]);
    expect(greys.every((grey, index) => index === 0 || grey >= greys[index - 1])).toBe(true);
    expect([at(checker.x, checker.y), at(checker.x + 1, checker.y), at(checker.x + 1, checker.y + 1)]).toEqual([
      [0, 0, 0],
      [255, 255, 255],
      [0, 0, 0],
    ]);
  });

  test("the prompt is painted, and letters that the font lacks as a box", async () => {
    const size = { width: 320, height: 180 };
    const runtime = await probeWorld.createRuntime(configOf({ runtimeOptions: size }), {});
    const dots = async (prompt: string): Promise<number> => {
      const session = await runtime.startSession(modelInputs({ initial: { prompt } }), { seed: 7 });
      const { output } = stepResult(await session.step(modelInputs(), {}));
      const { stage } = probeLayout(size.width, size.height);
      let count = 0;
      for (let y = stage.y; y < stage.y + 16; y += 1) {
        for (let x = stage.x; x < stage.x + stage.width; x += 1)
          if (output?.data[(y * 320 + x) * 3] === 226) count += 1;
      }
      return count;
    };
    expect(await dots("")).toBe(0);
    expect(await dots("I")).toBe(11);
    expect(await dots("é")).toBe(await dots("e"));
    expect(await dots("雪")).toBe(20);
    expect(await dots("x".repeat(5000))).toBeGreaterThan(200);
  });

  test.each([
    ["rgba8", "thwc"],
    ["rgba8", "tchw"],
    ["rgb8", "tchw"],
    ["rgb8", "cthw"],
    ["rgbf32", "thwc"],
    ["rgbf32", "cthw"],
  ])("E3: %s in %s holds the same picture as packed rgb8", async (format, layout) => {
    const size = { width: 40, height: 30, framesPerStep: 2 };
    const step = { driverCommand: { throttle: 1 } };
    const packed = await pixels(size, step);
    const other = await pixels({ ...size, format, layout }, step);
    const framePixels = 40 * 30;
    const channels = format === "rgba8" ? 4 : 3;
    const offset = (frame: number, channel: number, pixel: number): number => {
      if (layout === "thwc") return (frame * framePixels + pixel) * channels + channel;
      return (layout === "tchw" ? frame * channels + channel : channel * 2 + frame) * framePixels + pixel;
    };
    const back = new Uint8Array(packed.length);
    for (let index = 0; index < packed.length; index += 1) {
      const frame = Math.floor(index / (framePixels * 3));
      const pixel = Math.floor((index % (framePixels * 3)) / 3);
      const value = other[offset(frame, index % 3, pixel)];
      back[index] = format === "rgbf32" ? Math.round(value * 255) : value;
      if (channels === 4) expect(other[offset(frame, 3, pixel)]).toBe(255);
    }
    expect(back).toEqual(packed);
  });

  test("nanAtStep puts a NaN into that step and no other", async () => {
    const options = { ...{ width: 8, height: 8, format: "rgbf32" }, nanAtStep: 1 };
    const runtime = await probeWorld.createRuntime(configOf({ runtimeOptions: options }), {});
    const session = await runtime.startSession(modelInputs(), { seed: 0 });
    const counts: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { output } = stepResult(await session.step(modelInputs(), {}));
      counts.push([...(output?.data ?? [])].filter(Number.isNaN).length);
      output?.release?.();
    }
    expect(counts).toEqual([0, 1, 0]);
  });
});

describe("the probe world's simulated cost", () => {
  test("loads and steps take their time, can be cancelled, and block when told to", async () => {
    const clock = new FakeClock();
    const world = createProbeWorld({ cost: clockStepCost(clock, (seconds) => clock.elapse(seconds)) });
    const options = { width: 8, height: 8, loadTimeSeconds: 5, stepTimeSeconds: 0.25 };
    const cancelled = new AbortController();
    const given = Promise.resolve(
      world.createRuntime(configOf({ runtimeOptions: options }), { signal: cancelled.signal }),
    );
    cancelled.abort();
    await expect(given).rejects.toThrow(/cancelled/);

    const loading = Promise.resolve(world.createRuntime(configOf({ runtimeOptions: options }), {}));
    await clock.advance(5);
    const session = await (await loading).startSession(modelInputs(), { seed: 0 });
    let endedAt = 0;
    void Promise.resolve(session.step(modelInputs(), {})).then(() => (endedAt = clock.nowSeconds()));
    await clock.advance(1);
    expect(endedAt).toBe(5.25);

    const blocking = { ...options, blocking: true };
    const blockedLoad = world.createRuntime(configOf({ runtimeOptions: blocking }), {});
    expect(clock.nowSeconds()).toBe(11);
    const blocked = await (await blockedLoad).startSession(modelInputs(), { seed: 0 });
    const stepping = blocked.step(modelInputs(), {});
    expect(clock.nowSeconds()).toBe(11.25);
    await stepping;
  });

  test("the host's own time can be waited for, cut short and blocked on", async () => {
    const controller = new AbortController();
    const waiting = hostStepCost.wait(60, controller.signal);
    controller.abort();
    await waiting;
    await hostStepCost.wait(0, undefined);
    hostStepCost.block(0);
  });
});

describe("the probe world's mapping", () => {
  const request = stepRequest({ stepIndex: 0 });
  const map = (values: Record<string, Record<string, unknown>>, metadata = {}): ModelInputs => {
    const canonical = canonicalInputs({ values, metadata });
    const mapped = probeMapping.mapStepInputs({ canonical, request, modelInputs: modelInputs(), state: null });
    return modelInputs(mapped.inputs);
  };

  test("hands every modality, the input sequence and a new prompt through, and nothing that is not there", () => {
    const command = neutralValue(DRIVER_COMMAND) ?? {};
    const inputs = map(
      { driver_command: command, look_delta: { deltaX: 1, deltaY: 2, wheel: 0 }, conditioning: { prompt: "rain" } },
      { inputSequence: 12 },
    );
    expect(inputs.step).toEqual({
      driverCommand: command,
      lookDelta: { deltaX: 1, deltaY: 2, wheel: 0 },
      inputSequence: 12,
    });
    expect(inputs.update).toEqual({ prompt: "rain" });
    expect(map({}).step).toEqual({});
    expect(map({}).update).toEqual({});
  });

  test("A10: each control field declares its neutral value and what full deflection means", () => {
    const fields = probeWorld.modelInputSchema.stepFields.filter(({ name }) => name !== "inputSequence");
    expect(fields).toHaveLength(4);
    for (const { metadata } of fields) {
      expect(metadata.neutral).toBeDefined();
      expect(metadata.fullScale).toBeDefined();
    }
  });
});
