import {
  FAILURE_POINTS,
  FailurePlan,
  FakeClock,
  FakeInputSource,
  fakeWorld,
  RecordingTarget,
} from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import {
  InMemoryMetricsRecorder,
  NullOutputTarget,
  RUN_OUTCOMES,
  runBatch,
  type RunObserver,
  type StepRecord,
  type UserInputEventInput,
} from "../index.ts";
import { eventListSource } from "../inputs/event-list-source.ts";

const clock = (): FakeClock => new FakeClock();

function recordSteps(): { readonly steps: StepRecord[]; readonly observer: RunObserver } {
  const steps: StepRecord[] = [];
  return { steps, observer: { stepCommitted: (record) => void steps.push(record) } };
}

describe("the whole flow with a fake adapter", () => {
  it("gives two chunks in order, the first window [0, 0.5), metric step indexes and a closed recorder", async () => {
    const world = fakeWorld();
    const target = new NullOutputTarget({ storeResults: true });
    const metrics = new InMemoryMetricsRecorder();
    const { steps, observer } = recordSteps();
    const report = await runBatch({
      adapter: world.adapter,
      clock: clock(),
      outputs: [target],
      metrics,
      observers: [observer],
    });
    expect(report).toMatchObject({ outcome: RUN_OUTCOMES.completed, stepCount: 2, frameCount: 2 });
    expect(target.results.map(({ stepIndex }) => stepIndex)).toEqual([0, 1]);
    expect(steps.map(({ window }) => [window.startSeconds, window.endSeconds])).toEqual([
      [0, 0.5],
      [0.5, 1],
    ]);
    expect(metrics.closed).toBe(true);
    expect(target.isOpen).toBe(false);
    expect(world.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 });
  });

  it("keeps the order of the standard loop and closes in reverse", async () => {
    const log: string[] = [];
    const world = fakeWorld({ log, stepCount: 1 });
    await runBatch({ adapter: world.adapter, clock: clock(), outputs: [new RecordingTarget({ log })] });
    const order = [
      "adapter.validateConfig",
      "mapping.validate",
      "adapter.createRuntime",
      "runtime.startSession",
      "target.open",
    ];
    expect(log.filter((entry) => order.includes(entry))).toEqual(order);
    expect(log.slice(-3)).toEqual(["target.close", "session.close", "runtime.close"]);
  });

  it("validates the mapping before the runtime is created", async () => {
    const failures = new FailurePlan([{ at: FAILURE_POINTS.validateMapping }]);
    const world = fakeWorld({ failures });
    await expect(runBatch({ adapter: world.adapter, clock: clock() })).rejects.toThrow();
    expect(world.log).not.toContain("adapter.createRuntime");
  });

  it("ends with everything closed when the session cannot start, and does not open the output", async () => {
    const world = fakeWorld({ failures: new FailurePlan([{ at: FAILURE_POINTS.startSession }]) });
    const target = new RecordingTarget();
    const metrics = new InMemoryMetricsRecorder();
    await expect(runBatch({ adapter: world.adapter, clock: clock(), outputs: [target], metrics })).rejects.toThrow();
    expect(world.counts).toMatchObject({ openRuntimes: 0, openSessions: 0 });
    expect(metrics.closed).toBe(true);
    expect(target.descriptions).toEqual([]);
  });

  it("raises a cleanup error only when there was no primary error", async () => {
    const both = fakeWorld({
      failures: new FailurePlan([{ at: FAILURE_POINTS.step }, { at: FAILURE_POINTS.closeSession }]),
    });
    await expect(runBatch({ adapter: both.adapter, clock: clock() })).rejects.toThrow(/step/);
    const cleanupOnly = fakeWorld({ failures: new FailurePlan([{ at: FAILURE_POINTS.closeSession }]) });
    await expect(runBatch({ adapter: cleanupOnly.adapter, clock: clock() })).rejects.toThrow(/close/i);
    expect(cleanupOnly.counts.openRuntimes).toBe(0);
  });
});

describe("batch input and limits", () => {
  const press = (
    timestampSeconds: number,
    eventType: string,
    payload: Record<string, unknown> = {},
  ): UserInputEventInput => ({
    timestampSeconds,
    eventType,
    payload,
  });

  it("delivers exactly the asked number of frames, cutting the last chunk", async () => {
    const world = fakeWorld({ framesPerStep: 4, stepCount: Infinity });
    const target = new NullOutputTarget({ storeResults: true });
    const report = await runBatch({ adapter: world.adapter, clock: clock(), outputs: [target], frameLimit: 10 });
    expect(report.frameCount).toBe(10);
    expect(target.results.map(({ frameCount }) => frameCount)).toEqual([4, 4, 2]);
    expect(world.counts.chunksOut).toBe(0);
  });

  it("ends with the source when no limit is given", async () => {
    const world = fakeWorld({ stepCount: Infinity });
    const source = eventListSource({ events: [press(2.2, "key_down", { code: "KeyA" })] });
    const report = await runBatch({ adapter: world.adapter, clock: clock(), source });
    expect(report.stepCount).toBe(5);
  });

  it("applies a reset at the boundary: next generation, step 0, time goes on, held keys stay held", async () => {
    const world = fakeWorld({ stepCount: Infinity });
    const { steps, observer } = recordSteps();
    const source = eventListSource({
      events: [
        press(0.1, "key_down", { code: "KeyE" }),
        press(1.2, "reset", { seed: 5 }),
        press(2.4, "key_up", { code: "KeyE" }),
      ],
    });
    const report = await runBatch({
      adapter: world.adapter,
      clock: clock(),
      source,
      observers: [observer],
      stepLimit: 6,
    });
    expect(report.resetCount).toBe(1);
    expect(steps.map(({ result }) => [result.generation, result.stepIndex])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [1, 2],
      [1, 3],
    ]);
    expect(steps.map(({ window }) => window.startSeconds)).toEqual([0, 0.5, 1, 1.5, 2, 2.5]);
    const held = steps.map(({ modelInputs }) => modelInputs.step.action);
    expect(held[2]).toBe(held[1]);
    expect(held[5]).toBe(0);
  });

  it("ends with outcome closed at a close event", async () => {
    const world = fakeWorld({ stepCount: Infinity });
    const source = eventListSource({ events: [press(0.7, "close")] });
    const report = await runBatch({ adapter: world.adapter, clock: clock(), source, stepLimit: 10 });
    expect(report).toMatchObject({ outcome: RUN_OUTCOMES.closed, stepCount: 1 });
  });

  it("ends with outcome cancelled when the signal fires between steps", async () => {
    const world = fakeWorld({ stepCount: Infinity });
    const controller = new AbortController();
    const report = await runBatch({
      adapter: world.adapter,
      clock: clock(),
      signal: controller.signal,
      onStep: ({ stepCount }) => {
        if (stepCount === 3) controller.abort();
      },
    });
    expect(report).toMatchObject({ outcome: RUN_OUTCOMES.cancelled, stepCount: 3 });
    expect(world.counts).toMatchObject({ openSessions: 0, openRuntimes: 0 });
  });

  it("refuses limits that are no whole numbers, naming the field", async () => {
    const world = fakeWorld();
    await expect(runBatch({ adapter: world.adapter, clock: clock(), stepLimit: 1.5 })).rejects.toThrow(
      /BatchOptions\.stepLimit/,
    );
    await expect(runBatch({ adapter: world.adapter, clock: clock(), frameLimit: -1 })).rejects.toThrow(
      /BatchOptions\.frameLimit/,
    );
  });

  it("F1: NaN stops the run with bad_frame, and what came before was delivered", async () => {
    const world = fakeWorld({ format: "rgbf32", nanAtStep: 2, stepCount: 5, finalizes: true });
    const target = new NullOutputTarget();
    await expect(runBatch({ adapter: world.adapter, clock: clock(), outputs: [target] })).rejects.toMatchObject({
      code: "bad_frame",
    });
    expect(target.resultCount).toBe(2);
    expect(world.log).toContain("session.discardStep 2");
    expect(world.counts.openSessions).toBe(0);
  });

  it("reads a source window by window, windows tiling the timeline", async () => {
    const world = fakeWorld({ stepCount: 3 });
    const source = new FakeInputSource();
    const { steps, observer } = recordSteps();
    await runBatch({ adapter: world.adapter, clock: clock(), source, observers: [observer] });
    for (let index = 1; index < steps.length; index += 1) {
      expect(steps[index]?.window.startSeconds).toBe(steps[index - 1]?.window.endSeconds);
    }
  });
});
