import {
  inferenceConfig,
  modelInputs,
  stepResult,
  timeWindow,
  type ModelInputs,
  type StepResult,
} from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../clock/fake-clock.ts";
import { FAILURE_POINTS, FailurePlan } from "./failure-plan.ts";
import { FakeInputSource } from "./fake-input-source.ts";
import { fakeWorld, type FakeWorldOptions } from "./fake-world.ts";
import { RecordingTarget } from "./recording-target.ts";

const config = inferenceConfig({ modelId: "fake" });

async function start(options: FakeWorldOptions = {}, initial: Partial<ModelInputs> = {}) {
  const world = fakeWorld(options);
  const runtime = await world.adapter.createRuntime(config, {});
  const session = await runtime.startSession(modelInputs(initial), { seed: 3 });
  const step = async (inputs: Partial<ModelInputs> = {}): Promise<StepResult> =>
    stepResult(await session.step(modelInputs(inputs), {}));
  return { world, runtime, session, step };
}

describe("FailurePlan", () => {
  test("the planned call fails and no other", () => {
    const plan = new FailurePlan([{ at: FAILURE_POINTS.step, call: 1 }]);
    plan.pass(FAILURE_POINTS.step);
    expect(() => plan.pass(FAILURE_POINTS.step)).toThrow("planned failure of session.step, call 1");
    plan.pass(FAILURE_POINTS.step);
    expect(plan.callsOf(FAILURE_POINTS.step)).toBe(3);
  });

  test("an unknown point is refused by name", () => {
    expect(() => new FailurePlan([{ at: "session.stpe" as "session.step" }])).toThrow(/FailurePlan\[0\]\.at/);
  });
});

describe("fakeWorld", () => {
  test("gives two chunks whose windows tile the timeline from [0, 0.5), then nothing", async () => {
    const { session, step } = await start();
    expect(session.nextStepRequest()).toMatchObject({
      stepIndex: 0,
      userInputWindow: { startSeconds: 0, endSeconds: 0.5 },
    });
    expect((await step()).frameCount).toBe(1);
    expect(session.nextStepRequest()).toMatchObject({
      stepIndex: 1,
      userInputWindow: { startSeconds: 0.5, endSeconds: 1 },
    });
    await step();
    expect(session.nextStepRequest()).toBeUndefined();
  });

  test("counts what is open and what was not released", async () => {
    const { world, runtime, session, step } = await start();
    const result = await step();
    expect(world.counts).toEqual({ openRuntimes: 1, openSessions: 1, chunksOut: 1, doubleReleases: 0 });
    result.output?.release?.();
    result.output?.release?.();
    await session.close();
    await session.close();
    await runtime.close();
    expect(world.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 1 });
    expect(world.log.slice(-2)).toEqual(["session.close", "runtime.close"]);
  });

  test("loading and steps take their time on the fake clock and can be cancelled", async () => {
    const clock = new FakeClock();
    const world = fakeWorld({ clock, loadSeconds: 2, stepSeconds: 0.25 });
    let loaded = 0;
    const loading = Promise.resolve(world.adapter.createRuntime(config, {})).then((runtime) => {
      loaded = clock.nowSeconds();
      return runtime;
    });
    await clock.advance(3);
    const session = await (await loading).startSession(modelInputs(), { seed: 0 });
    expect(loaded).toBe(2);
    const controller = new AbortController();
    const stepping = Promise.resolve(session.step(modelInputs(), { signal: controller.signal }));
    controller.abort();
    await expect(stepping).rejects.toThrow(/cancelled/);
    const again = Promise.resolve(session.step(modelInputs(), {}));
    await clock.advance(0.25);
    expect((await again).stepIndex).toBe(0);
  });

  test("a second session is refused as busy unless the world allows it", async () => {
    const { runtime } = await start();
    expect(() => runtime.startSession(modelInputs(), { seed: 0 })).toThrow(/all 1 sessions are taken/);
  });

  test("with finalisation a step counts only once it was finalised", async () => {
    const { session, step } = await start({ finalizes: true });
    const first = await step({ step: { action: 5 } });
    session.discardStep?.();
    expect(session.nextStepRequest()?.stepIndex).toBe(0);
    const again = await step({ step: { action: 5 } });
    expect(again.output?.data).toEqual(first.output?.data);
    await session.finalizeStep?.({});
    expect(session.nextStepRequest()?.stepIndex).toBe(1);
  });
});

describe("RecordingTarget", () => {
  const { adapter } = fakeWorld();
  const description = adapter.describe?.(config);

  test("keeps results and closes of every run in order", async () => {
    const log: string[] = [];
    const target = new RecordingTarget({ log });
    if (description === undefined) throw new Error("the fake adapter describes itself");
    await target.open(description);
    await target.write(stepResult({ stepIndex: 0 }));
    await target.close({ droppedFrames: 2 });
    const again = await target.close();
    expect(log).toEqual(["target.open", "target.write 0", "target.close"]);
    expect(target.closes).toEqual([{ droppedFrames: 2 }]);
    expect(again).toHaveLength(1);
    await expect(target.write(stepResult({ stepIndex: 1 }))).rejects.toThrow(/RecordingTarget\.write: it is closed/);
  });

  test("a slow write ends on the fake clock", async () => {
    const clock = new FakeClock();
    const target = new RecordingTarget({ clock, writeSeconds: 10 });
    if (description === undefined) throw new Error("the fake adapter describes itself");
    await target.open(description);
    const writing = target.write(stepResult({ stepIndex: 0 }));
    await clock.advance(9);
    expect([target.pendingWrites, target.results.length]).toEqual([1, 0]);
    await clock.advance(1);
    await writing;
    expect([target.pendingWrites, target.results.length]).toEqual([0, 1]);
  });
});

describe("FakeInputSource", () => {
  test("gives each window its events and the number of events sent so far", () => {
    const source = new FakeInputSource({
      events: [0.1, 0.4, 0.8].map((timestampSeconds) => ({ timestampSeconds, eventType: "key_down" })),
    });
    const window = timeWindow({ startSeconds: 0.25, endSeconds: 0.75 });
    const inputs = source.read(window);
    expect(inputs.events.map((event) => event.timestampSeconds)).toEqual([0.4]);
    expect(inputs.metadata.inputSequence).toBe(2);
    expect(source.windows).toEqual([window]);
  });
});
