import { describe, expect, it } from "vitest";
import { inferenceConfig } from "../../model/inference-config.ts";
import type { InferenceSession } from "../../model/inference-session.ts";
import type { ModelAdapter } from "../model-adapter.ts";
import { modelInputs, type ModelInputsInput } from "../../mapping/model-inputs.ts";
import { stepResult, type StepResult } from "../../model/step-result.ts";
import type { StandardSchema } from "../../foundation/validate/standard-schema.ts";
import { defineWorld } from "./define-world.ts";
import { input } from "./input.ts";

const VIDEO = { width: 1, height: 1, framesPerSecond: 10 };

async function start(adapter: ModelAdapter, initial: ModelInputsInput["initial"] = {}): Promise<InferenceSession> {
  const runtime = await adapter.createRuntime(inferenceConfig({ modelId: adapter.modelId }), {});
  return runtime.startSession(modelInputs({ initial }), { seed: 1 });
}

async function step(session: InferenceSession, inputs: ModelInputsInput = {}): Promise<StepResult> {
  return stepResult(await session.step(modelInputs(inputs), {}));
}

const pixels = (result: StepResult): number[] => [...(result.output?.data ?? [])];

/** Counts up; a step whose `fail` is set throws after it has looked at everything. */
function failing(kind: "sync" | "async"): ModelAdapter {
  const world = {
    id: "failing",
    video: VIDEO,
    inputs: {
      initial: { prompt: input.text({ default: "a", live: true }) },
      step: { fail: input.flag({ default: false }) },
    },
    start: () => ({ count: 0 }),
  } as const;
  const next = (
    fail: boolean,
    frames: Uint8Array,
    count: number,
    prompt: string,
  ): { frames: Uint8Array; state: { count: number } } => {
    frames.set([count, prompt.length, 0]);
    if (fail) throw new RangeError("no");
    return { frames, state: { count: count + 1 } };
  };
  return kind === "sync"
    ? defineWorld({ ...world, step: (at) => next(at.inputs.fail, at.frames, at.state.count, at.initial.prompt) })
    : defineWorld({
        ...world,
        step: async (at) => {
          await Promise.resolve();
          return next(at.inputs.fail, at.frames, at.state.count, at.initial.prompt);
        },
      });
}

describe.each(["sync", "async"] as const)("a session whose step is %s", (kind) => {
  it("F2: a failed step leaves state, index, initial inputs and random numbers as they were", async () => {
    const session = await start(failing(kind));
    await step(session);
    await expect(async () => step(session, { step: { fail: true }, update: { prompt: "snow" } })).rejects.toThrow(/no/);
    expect(session.nextStepRequest()?.stepIndex).toBe(1);
    expect(pixels(await step(session))).toEqual([1, 1, 0]);
  });

  it("commits an update with its step and rolls it back with it", async () => {
    const session = await start(failing(kind));
    expect(pixels(await step(session, { update: { prompt: "snow" } }))).toEqual([0, 4, 0]);
    expect(pixels(await step(session))).toEqual([1, 4, 0]);
    await step(session, { update: { prompt: "no" } });
    session.discardStep?.();
    expect(pixels(await step(session))).toEqual([2, 4, 0]);
  });

  it("takes back the last step once", async () => {
    const session = await start(failing(kind));
    await step(session);
    await step(session);
    session.discardStep?.();
    session.discardStep?.();
    expect(pixels(await step(session))).toEqual([1, 1, 0]);
  });
});

describe("a session", () => {
  it("gives its step everything that was declared, defaults included, and nothing that may be changed", async () => {
    let seen: Record<string, unknown> = {};
    const adapter = defineWorld({
      id: "seeing",
      video: { ...VIDEO, framesPerStep: 3, firstStepFrames: 2 },
      inputs: {
        initial: {
          mood: input.choice(["day", "night"], { default: "day", live: true }),
          size: input.number({ optional: true }),
        },
        step: { x: input.number(), y: input.number({ default: 5 }) },
      },
      map: () => ({ x: 0 }),
      start: () => ({ list: [1] }),
      step: (context) => {
        seen = { ...context };
        return { frames: context.frames, state: context.state };
      },
    });
    const session = await start(adapter);
    await step(session, { step: { x: 1 } });
    expect(seen).toMatchObject({
      inputs: { x: 1, y: 5 },
      initial: { mood: "day", size: undefined },
      updated: [],
      stepIndex: 0,
      frameCount: 2,
      durationSeconds: 0.2,
      seed: 1,
      options: {},
      video: { worldId: "seeing" },
    });
    expect(() => Object.assign(seen.state as object, { list: [] })).toThrow(TypeError);
    expect(() => Object.assign(seen.initial as object, { mood: "night" })).toThrow(TypeError);
    const result = await step(session, { step: { x: 1 }, update: { mood: "night" } });
    expect(seen).toMatchObject({ initial: { mood: "night" }, updated: ["mood"], stepIndex: 1, frameCount: 3 });
    expect(result.frameCount).toBe(3);
  });

  it("refuses inputs that are undeclared, missing, of another type, or may not change", async () => {
    const adapter = defineWorld({
      id: "strict",
      video: VIDEO,
      inputs: { initial: { prompt: input.text() }, step: { x: input.number({ max: 1 }) } },
      map: () => ({ x: 0 }),
      step: ({ frames }) => ({ frames }),
    });
    await expect(start(adapter)).rejects.toThrow(/ModelInputs\.initial: missing required "prompt"/);
    await expect(start(adapter, { prompt: 3 })).rejects.toThrow(/ModelInputs\.initial\.prompt: expected a string/);
    await expect(start(adapter, { prompt: "", promt: "" })).rejects.toThrow(/ModelInputs\.initial\.promt: .*"prompt"/);
    const session = await start(adapter, { prompt: "" });
    await expect(async () => step(session)).rejects.toThrow(/ModelInputs\.step: missing required "x"/);
    await expect(async () => step(session, { step: { x: 2 } })).rejects.toThrow(/ModelInputs\.step\.x: .*at most 1/);
    await expect(async () => step(session, { step: { x: 1, z: 1 } })).rejects.toThrow(/ModelInputs\.step\.z/);
    await expect(async () => step(session, { step: { x: 1 }, update: { prompt: "b" } })).rejects.toMatchObject({
      code: "update_refused",
    });
    expect((await step(session, { step: { x: 1 } })).stepIndex).toBe(0);
  });

  it.each<[string, object | undefined, RegExp]>([
    ["nothing", undefined, /World\("odd"\)\.step\(\): expected an object/],
    ["no frames", { state: 1 }, /World\("odd"\)\.step\(\)\.frames/],
    ["no state", { frames: new Uint8Array(3) }, /World\("odd"\)\.step\(\)\.state/],
    [
      "too few pixels",
      { frames: new Uint8Array(2), state: 1 },
      /VideoChunk\.data \(in World\("odd"\)\.step\(\)\): expected 3/,
    ],
    ["floats", { frames: new Float32Array(3), state: 1 }, /VideoChunk\.data/],
    ["an unknown key", { frames: new Uint8Array(3), state: 1, sate: 2 }, /World\("odd"\)\.step\(\)\.sate: .*"state"/],
    ["another flag", { frames: new Uint8Array(3), state: 1, isLast: "no" }, /World\("odd"\)\.step\(\)\.isLast/],
  ])("refuses a step that gives %s, and changes nothing", async (_what, outcome, message) => {
    const adapter = defineWorld({ id: "odd", video: VIDEO, start: () => 1, step: () => outcome as never });
    const session = await start(adapter);
    await expect(async () => step(session)).rejects.toThrow(message);
    expect(session.nextStepRequest()?.stepIndex).toBe(0);
  });

  it("passes metadata and metrics on", async () => {
    const metrics = [{ name: "gpu", value: 1, unit: "s" }];
    const adapter = defineWorld({
      id: "m",
      video: VIDEO,
      step: ({ frames }) => ({ frames, metrics, metadata: { a: 1 } }),
    });
    expect(await step(await start(adapter))).toMatchObject({ metadata: { a: 1 }, metrics: [{ name: "gpu" }] });
  });

  it("ends after the last step, by count or by its own word, and starts anew with a reset", async () => {
    const counted = await start(
      defineWorld({ id: "e", video: VIDEO, maxSteps: 1, step: ({ frames }) => ({ frames }) }),
    );
    await step(counted);
    expect(counted.nextStepRequest()).toBeUndefined();
    await expect(async () => step(counted)).rejects.toThrow(/the rollout is complete/);
    await counted.reset({});
    expect(counted.nextStepRequest()?.stepIndex).toBe(0);
    const told = await start(
      defineWorld({ id: "e", video: VIDEO, step: ({ frames, stepIndex }) => ({ frames, isLast: stepIndex === 1 }) }),
    );
    await step(told);
    expect(told.nextStepRequest()).toBeDefined();
    await step(told);
    expect(told.nextStepRequest()).toBeUndefined();
  });

  it("snapshots a copy, and refuses one of another version and a state that cannot be copied", async () => {
    const world = (version: string): ModelAdapter =>
      defineWorld({
        id: "snap",
        version,
        video: VIDEO,
        start: () => ({ cells: new Uint8Array([7]) }),
        step: ({ frames, state }) => {
          frames[0] = state.cells[0] ?? 0;
          return { frames, state: { cells: state.cells.map((cell) => cell + 1) } };
        },
      });
    const session = await start(world("1"));
    await step(session);
    const snapshot = await session.snapshot?.();
    await step(session);
    await session.restore?.(snapshot as never);
    expect(pixels(await step(session))[0]).toBe(8);
    const other = await start(world("2"));
    expect(() => other.restore?.(snapshot as never)).toThrow(
      /SessionSnapshot\.version: expected "snap@2", found "snap@1"/,
    );
    expect(() => other.restore?.({ version: "snap@2", data: {} })).toThrow(/SessionSnapshot\.data/);
    const closures = defineWorld({
      id: "c",
      video: VIDEO,
      start: () => ({ run: () => 1 }),
      step: ({ frames, state }) => ({ frames, state }),
    });
    const stuck = await start(closures);
    expect(() => stuck.snapshot?.()).toThrow(/World\("c"\)\.step\(\)\.state: .*cannot be copied/);
  });

  it("uses released arrays again, all zero, and never one that is still read", async () => {
    const adapter = defineWorld({
      id: "pool",
      video: VIDEO,
      step: ({ frames, stepIndex }) => {
        expect([...frames]).toEqual([0, 0, 0]);
        return { frames: frames.fill(stepIndex + 1) };
      },
    });
    const session = await start(adapter);
    const first = await step(session);
    const second = await step(session);
    expect(second.output?.data).not.toBe(first.output?.data);
    expect(pixels(first)).toEqual([1, 1, 1]);
    first.output?.release?.();
    const third = await step(session);
    expect(third.output?.data).toBe(first.output?.data);
  });

  it("refuses a second step while one runs, any call once it is closed, and work that is cancelled", async () => {
    let finish = (): void => undefined;
    const adapter = defineWorld({
      id: "slow",
      video: VIDEO,
      step: async ({ frames }) => {
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { frames };
      },
    });
    const session = await start(adapter);
    const cancel = new AbortController();
    const running = Promise.resolve(session.step(modelInputs(), { signal: cancel.signal }));
    await expect(async () => session.step(modelInputs(), {})).rejects.toThrow(/still running/);
    await expect(async () => session.reset({})).rejects.toThrow(/still running/);
    cancel.abort();
    finish();
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
    expect(session.nextStepRequest()?.stepIndex).toBe(0);
    await session.close();
    await session.close();
    await expect(async () => session.step(modelInputs(), {})).rejects.toMatchObject({ code: "closed" });
    expect(() => session.nextStepRequest()).toThrow(/closed/);
  });

  it("keeps the old rollout when a reset fails", async () => {
    const session = await start(failing("sync"), { prompt: "abc" });
    await step(session);
    await expect(async () => session.reset({ inputs: modelInputs({ initial: { prompt: 3 } }) })).rejects.toThrow(
      /prompt/,
    );
    expect(pixels(await step(session))).toEqual([1, 3, 0]);
    await session.reset({ inputs: modelInputs({ initial: { prompt: "ab" } }), seed: 9 });
    expect(pixels(await step(session))).toEqual([0, 2, 0]);
  });
});

/** Accepts `{ size: number }` and turns it into a number. */
const SIZE: StandardSchema<unknown, number> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) =>
      typeof (value as { size?: unknown }).size === "number"
        ? { value: (value as { size: number }).size }
        : { issues: [{ message: "size is missing", path: ["size"] }] },
  },
};

describe("a runtime", () => {
  const loaded = (log: string[], extra: object = {}): ModelAdapter =>
    defineWorld({
      id: "loaded",
      options: SIZE,
      video: ({ options }) => ({ width: options, height: 1, framesPerSecond: 1 }),
      maxSessions: 1,
      load: ({ options, progress, video }) => {
        progress({ stage: "weights", fraction: 1 });
        log.push(`load ${options} ${video.width}`);
        return { weight: options };
      },
      close: (model) => void log.push(`close ${model.weight}`),
      facts: (model) => ({ weight: model.weight }),
      start: ({ model, options }) => ({ sum: model.weight + options }),
      step: ({ frames, state, model }) => ({ frames: frames.fill(state.sum + model.weight), state }),
      ...extra,
    });
  const config = inferenceConfig({ modelId: "loaded", runtimeOptions: { size: 2 } });

  it("loads once with its options, shares the model, frees it once and tells its facts", async () => {
    const log: string[] = [];
    const stages: string[] = [];
    const adapter = loaded(log);
    expect(adapter.describe?.(config)).toMatchObject({ width: 2 });
    const runtime = await adapter.createRuntime(config, { onProgress: ({ stage }) => stages.push(stage) });
    expect(runtime.facts?.()).toEqual({ weight: 2 });
    const session = await runtime.startSession(modelInputs(), { seed: 0 });
    expect(pixels(await step(session))).toEqual([6, 6, 6, 6, 6, 6]);
    await runtime.close();
    await runtime.close();
    expect([log, stages]).toEqual([["load 2 2", "close 2"], ["weights"]]);
    expect(() => session.nextStepRequest()).toThrow(/closed/);
    await expect(async () => runtime.startSession(modelInputs(), { seed: 0 })).rejects.toMatchObject({
      code: "closed",
    });
  });

  it("refuses options that the schema does not know, before anything loads", () => {
    const log: string[] = [];
    const bad = inferenceConfig({ modelId: "loaded", runtimeOptions: {} });
    expect(() => loaded(log).validateConfig(bad)).toThrow(/InferenceConfig\.runtimeOptions: size: size is missing/);
    expect(log).toEqual([]);
  });

  it("refuses a session too many as busy, and takes one again when another has closed", async () => {
    const runtime = await loaded([]).createRuntime(config, {});
    const session = await runtime.startSession(modelInputs(), { seed: 0 });
    const more = async (): Promise<InferenceSession> => runtime.startSession(modelInputs(), { seed: 0 });
    await expect(more).rejects.toMatchObject({ code: "busy", retryable: true });
    await session.close();
    await expect(more()).resolves.toBeDefined();
  });

  it("gives a place back when a session does not start", async () => {
    let isBroken = true;
    const start = (): object => {
      if (isBroken) throw new Error("broken");
      return { sum: 0 };
    };
    const runtime = await loaded([], { start }).createRuntime(config, {});
    await expect(async () => runtime.startSession(modelInputs(), { seed: 0 })).rejects.toThrow(/broken/);
    isBroken = false;
    await expect(runtime.startSession(modelInputs(), { seed: 0 })).resolves.toBeDefined();
  });

  it("C3: frees what was loaded when the load is cancelled meanwhile", async () => {
    const log: string[] = [];
    const cancel = new AbortController();
    const adapter = loaded(log, {
      load: () => {
        cancel.abort();
        return { weight: 5 };
      },
    });
    await expect(async () => adapter.createRuntime(config, { signal: cancel.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
    expect(log).toEqual(["close 5"]);
  });

  it("says that the load failed, with the reason", async () => {
    const load = (): never => {
      throw new TypeError("no weights");
    };
    await expect(async () => loaded([], { load }).createRuntime(config, {})).rejects.toMatchObject({
      code: "load_failed",
      message: 'World("loaded").load(): no weights',
    });
  });
});
