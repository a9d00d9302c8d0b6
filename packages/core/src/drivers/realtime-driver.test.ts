import { FakeClock, fakeWorld, RecordingTarget, type FakeWorldOptions } from "@dreamloop/testing";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import {
  LivePresenter,
  RecordingQueue,
  RUN_OUTCOMES,
  startRealtime,
  type RealtimeOptions,
  type RealtimeRun,
  type RunObserver,
  type StepRecord,
  type StepResult,
} from "../index.ts";
import type { ChunkSink } from "./chunk-sink.ts";

/** A sink that keeps what it is given and releases at once. */
class ListSink implements ChunkSink {
  readonly chunks: { readonly result: StepResult; readonly firstDueSeconds: number; readonly atSeconds: number }[] = [];
  readonly #clock: FakeClock;
  constructor(clock: FakeClock) {
    this.#clock = clock;
  }
  open(): void {}
  push(result: StepResult, firstDueSeconds: number, release: () => void): void {
    this.chunks.push({ result, firstDueSeconds, atSeconds: this.#clock.nowSeconds() });
    release();
  }
  close(): readonly [] {
    return [];
  }
}

interface Setup {
  readonly clock: FakeClock;
  readonly world: ReturnType<typeof fakeWorld>;
  readonly run: RealtimeRun;
  readonly sink: ListSink;
  readonly steps: StepRecord[];
  readonly resets: number[];
}

const open: { readonly run: RealtimeRun; readonly clock: FakeClock }[] = [];

afterEach(async () => {
  for (const { run, clock } of open.splice(0)) {
    const closing = run.close().catch(() => undefined);
    await clock.advance(30);
    await closing;
  }
});

async function begin(world: FakeWorldOptions = {}, options: Partial<RealtimeOptions> = {}): Promise<Setup> {
  const clock = new FakeClock({ startSeconds: 100 });
  const fake = fakeWorld({ framesPerSecond: 10, stepCount: Infinity, clock, ...world });
  const sink = new ListSink(clock);
  const steps: StepRecord[] = [];
  const resets: number[] = [];
  const observer: RunObserver = {
    stepCommitted: (record) => void steps.push(record),
    resetApplied: ({ generation }) => void resets.push(generation),
  };
  const run = startRealtime({
    adapter: fake.adapter,
    clock,
    ...options,
    outputs: [sink, ...(options.outputs ?? [])],
    observers: [observer],
  });
  open.push({ run, clock });
  await clock.settle();
  return { clock, world: fake, run, sink, steps, resets };
}

const key = (clock: FakeClock, eventType: "key_down" | "key_up", code = "KeyE"): Parameters<RealtimeRun["push"]>[0] => [
  { timestampSeconds: clock.nowSeconds(), eventType, payload: { code } },
];
const actions = (steps: readonly StepRecord[]): unknown[] => steps.map(({ modelInputs }) => modelInputs.step.action);

describe("pacing", () => {
  it("never goes faster than the world's rate, and windows tile the timeline", async () => {
    const { clock, sink, steps } = await begin();
    await clock.advance(5);
    expect(sink.chunks.length).toBeLessThanOrEqual(52);
    expect(sink.chunks.length).toBeGreaterThanOrEqual(50);
    for (let index = 1; index < steps.length; index += 1) {
      expect(steps[index]?.window.startSeconds).toBe(steps[index - 1]?.window.endSeconds);
    }
  });

  it("A7: an event that arrives 1 ms before the step starts is in that step", async () => {
    const { clock, run, sink, steps } = await begin();
    await clock.advance(1);
    const before = steps.length;
    const lastAt = sink.chunks[before - 1]?.atSeconds ?? 0;
    await clock.advanceTo(lastAt + 0.1 - 0.001);
    expect(steps.length).toBe(before);
    run.push(key(clock, "key_down"));
    await clock.advance(0.0011);
    expect(steps.length).toBe(before + 1);
    expect(steps[before]?.modelInputs.step.action).not.toBe(steps[before - 1]?.modelInputs.step.action);
  });

  it("A9: a model ten times faster than playback never leads by more than L frames, and control to frame stays below L/fps + step", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 4, 12), fc.integer({ min: 0, max: 20 }), async (framesPerStep, extra) => {
        const leadFrames = framesPerStep + extra;
        const stepSeconds = framesPerStep / 30;
        const { clock, run, sink, steps } = await begin(
          { framesPerSecond: 30, framesPerStep, stepSeconds: stepSeconds / 10 },
          { leadFrames },
        );
        for (let tick = 0; tick < 60; tick += 1) {
          await clock.advance(stepSeconds / 7);
          expect(run.status().leadFrames).toBeLessThanOrEqual(leadFrames + 1e-6);
        }
        steps.forEach((record, index) => {
          const due = (sink.chunks[index]?.firstDueSeconds ?? 0) - 100;
          expect(due - record.window.endSeconds).toBeLessThanOrEqual(leadFrames / 30 + stepSeconds + 1e-6);
        });
        const closing = run.close();
        await clock.advance(1);
        await closing;
      }),
      { numRuns: 8 },
    );
  });

  it("B3: a model that costs 50 ms at a target of 30 frames/s keeps a steady rate, which does not decay", async () => {
    const { clock, sink } = await begin({ framesPerSecond: 30, stepSeconds: 0.05 });
    await clock.advance(20);
    const times = sink.chunks.map(({ atSeconds }) => atSeconds);
    const early = (times[60] ?? 0) - (times[10] ?? 0);
    const late = (times.at(-1) ?? 0) - (times.at(-51) ?? 0);
    expect(late).toBeCloseTo(early, 3);
    expect(early / 50).toBeCloseTo(0.05, 3);
  });

  it("B4: a second pacer is a start-up error", async () => {
    const clock = new FakeClock();
    const sink = Object.assign(new ListSink(clock), { ownsPacing: true });
    const run = startRealtime({ adapter: fakeWorld().adapter, clock, outputs: [sink] });
    await expect(run.started).rejects.toMatchObject({ code: "invalid_state" });
    await expect(run.done).rejects.toThrow(/cadence/);
  });

  it("widens the window when it is late and skips nothing", async () => {
    const { clock, run, steps } = await begin({ stepSeconds: 0.35 });
    for (let tap = 0; tap < 20; tap += 1) {
      run.push(key(clock, "key_down"));
      run.push(key(clock, "key_up"));
      await clock.advance(0.35);
    }
    await clock.advance(1);
    const seen = actions(steps).filter((action) => action !== 0).length;
    expect(seen).toBe(20);
    expect(Math.max(...steps.map(({ window }) => window.endSeconds - window.startSeconds))).toBeGreaterThan(0.3);
    expect(run.status().underrunCount).toBeGreaterThan(0);
  });

  it("A8: reading input never waits for a frame: events during a long step keep their times of arrival", async () => {
    const { clock, run, steps } = await begin({ stepSeconds: 2 });
    await clock.advance(0.5);
    const sent: number[] = [];
    for (let index = 0; index < 40; index += 1) {
      sent.push(clock.nowSeconds() - 100);
      run.push([
        {
          timestampSeconds: clock.nowSeconds(),
          eventType: index % 2 === 0 ? "key_down" : "key_up",
          payload: { code: "KeyE" },
        },
      ]);
      await clock.advance(0.02);
    }
    await clock.advance(5);
    const times = steps.flatMap(({ events }) => events.map(({ timestampSeconds }) => timestampSeconds));
    sent.forEach((time, index) => expect(times[index]).toBeCloseTo(time, 9));
  });
});

describe("reset, pause and close", () => {
  it("C7: frames of an older generation are discarded after a reset, and the held key is applied again", async () => {
    const { clock, run, sink, steps } = await begin({ stepSeconds: 0.08 });
    run.push(key(clock, "key_down"));
    await clock.advance(0.6);
    const reset = run.reset({ seed: 9 });
    await clock.advance(0.3);
    await expect(reset).resolves.toBe(1);
    const discarded = steps.filter((record) => record.discarded);
    expect(run.status().discardedFrames).toBe(discarded.length);
    const generations = sink.chunks.map(({ result }) => result.generation);
    expect(generations).toEqual([...generations].sort((a, b) => a - b));
    const first = steps.find(({ result }) => result.generation === 1);
    expect(first?.result.stepIndex).toBe(0);
    const heldBefore = steps.findLast(({ result }) => result.generation === 0)?.modelInputs.step.action;
    expect(first?.modelInputs.step.action).toBe(heldBefore);
    expect(heldBefore).not.toBe(0);
  });

  it("is not driven faster than the world's rate by a storm of resets, and answers each", async () => {
    const { clock, run, steps } = await begin();
    const answers: Promise<number>[] = [];
    for (let index = 0; index < 200; index += 1) {
      answers.push(run.reset());
      await clock.advance(0.005);
    }
    await clock.advance(0.3);
    await Promise.all(answers);
    expect(steps.length).toBeLessThanOrEqual(17);
  });

  it("stands still while paused, steps once when asked, and goes on where it was", async () => {
    const { clock, run, steps } = await begin();
    await clock.advance(1);
    run.pause();
    await clock.settle();
    const atPause = steps.length;
    const time = run.status().sessionSeconds;
    await clock.advance(10);
    expect(steps.length).toBe(atPause);
    expect(run.status().sessionSeconds).toBe(time);
    run.stepOnce();
    await clock.advance(1);
    expect(steps.length).toBe(atPause + 1);
    run.resume();
    await clock.advance(1);
    expect(steps.length).toBeGreaterThanOrEqual(atPause + 9);
    expect(steps.length).toBeLessThanOrEqual(atPause + 13);
    expect(steps.at(-1)?.window.endSeconds).toBeLessThan(2.3);
  });

  it("applies a reset while paused", async () => {
    const { clock, run, steps } = await begin();
    await clock.advance(0.5);
    run.pause();
    const reset = run.reset();
    await clock.advance(0.5);
    await expect(reset).resolves.toBe(1);
    expect(steps.at(-1)?.result).toMatchObject({ generation: 1, stepIndex: 0 });
    expect(run.status().paused).toBe(true);
  });

  it("closes once, frees everything and rejects a reset that was not applied", async () => {
    const { clock, run, world } = await begin();
    await clock.advance(0.5);
    const [first, second] = [run.close(), run.close()];
    await clock.advance(0.5);
    expect(await first).toMatchObject({ outcome: RUN_OUTCOMES.closed });
    expect(second).toBe(first);
    expect(world.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 });
    await expect(run.reset()).rejects.toMatchObject({ code: "closed" });
  });

  it("A2: held keys are released by an event of source timeout when no message comes for a second, and the next message restores them", async () => {
    const { clock, run, steps } = await begin();
    const state = (sequence: number): void =>
      run.push(
        [
          {
            timestampSeconds: clock.nowSeconds(),
            eventType: "keys_state",
            payload: { codes: ["KeyE"], pressCounts: { KeyE: 1 }, epoch: 1, sequence },
          },
        ],
        { sequence },
      );
    state(1);
    await clock.advance(0.9);
    expect(actions(steps).at(-1)).not.toBe(0);
    await clock.advance(0.3);
    expect(actions(steps).at(-1)).toBe(0);
    const sources = steps.flatMap(({ events }) => events.map(({ source }) => source));
    expect(sources).toContain("timeout");
    state(2);
    await clock.advance(0.2);
    expect(actions(steps).at(-1)).not.toBe(0);
    const presses = steps
      .flatMap(({ events }) => events)
      .filter(({ eventType, payload }) => eventType === "key_down" && payload.presses !== 0);
    expect(presses).toHaveLength(1);
  });
});

describe("outputs", () => {
  it("B1: after a consumer stalled for 10 s the first frame shown is younger than N frame times plus one chunk", async () => {
    const clock = new FakeClock({ startSeconds: 100 });
    const framesPerStep = 4;
    let stalled = false;
    const shown: { readonly due: number; readonly at: number }[] = [];
    const target = new RecordingTarget();
    const presenter = new LivePresenter({
      clock,
      target: {
        open: (description) => target.open(description),
        write: async (result) => {
          if (stalled) {
            stalled = false;
            await clock.sleepUntil(clock.nowSeconds() + 10);
            return;
          }
          shown.push({ due: result.metadata.dueSeconds as number, at: clock.nowSeconds() });
        },
        close: (options) => target.close(options),
      },
    });
    const world = fakeWorld({ framesPerSecond: 30, framesPerStep, stepCount: Infinity });
    const run = startRealtime({ adapter: world.adapter, clock, outputs: [presenter] });
    open.push({ run, clock });
    await clock.advance(2);
    stalled = true;
    shown.length = 0;
    await clock.advance(12);
    const afterStall = shown.find(({ at }) => at >= 112 - 0.1);
    expect(afterStall).toBeDefined();
    expect((afterStall?.at ?? 0) - (afterStall?.due ?? 0)).toBeLessThan(2 / 30 + framesPerStep / 30);
    expect(presenter.drops.overdue).toBeGreaterThan(250);
    expect(shown.map(({ due }) => due)).toEqual([...shown.map(({ due }) => due)].sort((a, b) => a - b));
  });

  it("B5: a slow recording never makes the driver wait; its dropped frames are counted in the artifact", async () => {
    const { clock, run, sink, world } = await begin({ framesPerSecond: 30 });
    const slow = new RecordingTarget({ clock, writeSeconds: 0.5 });
    const recording = new RecordingQueue(slow, { capacity: 4, onError: () => undefined });
    await run.addOutput(recording);
    const before = sink.chunks.length;
    await clock.advance(10);
    expect(sink.chunks.length - before).toBeGreaterThanOrEqual(299);
    const removing = run.removeOutput(recording);
    await clock.advance(5);
    const [artifact] = await removing;
    expect(recording.droppedFrames).toBeGreaterThan(200);
    expect(artifact?.metadata.droppedFrames).toBe(recording.droppedFrames);
    expect(slow.results.length + recording.droppedFrames).toBeGreaterThanOrEqual(299);
    const closing = run.close();
    await clock.advance(1);
    await closing;
    expect(world.counts.chunksOut).toBe(0);
  });

  it.each([1, 4, 12])(
    "B6: frames of steps of %d leave the presenter evenly, with jitter below 5 percent",
    async (framesPerStep) => {
      const clock = new FakeClock({ startSeconds: 100 });
      const times: number[] = [];
      const presenter = new LivePresenter({
        clock,
        target: { open: () => undefined, write: () => void times.push(clock.nowSeconds()), close: () => [] },
      });
      const world = fakeWorld({
        framesPerSecond: 30,
        framesPerStep,
        stepCount: Infinity,
        clock,
        stepSeconds: (framesPerStep / 30) * 0.6,
      });
      const run = startRealtime({ adapter: world.adapter, clock, outputs: [presenter] });
      open.push({ run, clock });
      await clock.advance(6);
      const intervals = times.slice(1).map((time, index) => time - times[index]);
      const mean = intervals.reduce((sum, value) => sum + value, 0) / intervals.length;
      const deviation = Math.sqrt(intervals.reduce((sum, value) => sum + (value - mean) ** 2, 0) / intervals.length);
      expect(intervals.length).toBeGreaterThan(100);
      expect(deviation / mean).toBeLessThan(0.05);
    },
  );

  it("a model that fails ends the run with its error, everything closed", async () => {
    const { FAILURE_POINTS, FailurePlan } = await import("@dreamloop/testing");
    const { clock, run, world } = await begin({ failures: new FailurePlan([{ at: FAILURE_POINTS.step, call: 3 }]) });
    const done = expect(run.done).rejects.toMatchObject({ code: "step_failed" });
    await clock.advance(2);
    await done;
    expect(world.counts).toMatchObject({ openSessions: 0, openRuntimes: 0, chunksOut: 0 });
  });

  it("frames are written before the step is finalised, and the next step waits for it", async () => {
    const { clock, world } = await begin({ finalizes: true, finalizeSeconds: 0.3 });
    await clock.advance(2);
    const order = world.log.filter((entry) => /session\.(step|finalizeStep)/.test(entry));
    expect(order.slice(0, 4)).toEqual([
      "session.step 0",
      "session.finalizeStep 0",
      "session.step 1",
      "session.finalizeStep 1",
    ]);
  });
});
