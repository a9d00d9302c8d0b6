import { FakeClock, fakeWorld } from "@dreamloop/testing";
import { describe, expect, it } from "vitest";
import { NullOutputTarget, runBatch, startRealtime } from "../index.ts";

/** Heap in use after a full collection, in bytes. */
function heapBytes(): number {
  expect(globalThis.gc, "run with --expose-gc").toBeDefined();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

describe("long runs", () => {
  it("I1: 100,000 batch steps with a stub model: the memory slope is below 1 KB per step, and everything is released", async ({
    task,
  }) => {
    const world = fakeWorld({ stepCount: Infinity });
    const samples: number[] = [];
    await runBatch({
      adapter: world.adapter,
      clock: new FakeClock(),
      outputs: [new NullOutputTarget()],
      stepLimit: 100_000,
      onStep: ({ stepCount }) => {
        // The fake notes every call; what is measured is the loop.
        (world.log as string[]).length = 0;
        if (stepCount % 10_000 === 0) samples.push(heapBytes());
      },
    });
    const slope = ((samples.at(-1) ?? 0) - (samples[1] ?? 0)) / 80_000;
    Object.assign(task.meta, { figures: { "heap bytes a step": slope } });
    expect(slope).toBeLessThan(1024);
    expect(world.counts).toEqual({ openRuntimes: 0, openSessions: 0, chunksOut: 0, doubleReleases: 0 });
  });

  it("I1: 100,000 live steps with input and resets keep the memory slope below 1 KB per step", async ({ task }) => {
    const clock = new FakeClock();
    const world = fakeWorld({ stepCount: Infinity, framesPerSecond: 30 });
    const run = startRealtime({ adapter: world.adapter, clock });
    await clock.settle();
    const samples: number[] = [];
    for (let minute = 0; minute < 56; minute += 1) {
      for (let second = 0; second < 60; second += 1) {
        const timestampSeconds = clock.nowSeconds();
        run.push([
          { timestampSeconds, eventType: second % 2 === 0 ? "key_down" : "key_up", payload: { code: "KeyE" } },
          { timestampSeconds, eventType: "mouse_move", payload: { deltaX: 1.5, deltaY: -0.5 } },
        ]);
        await clock.advance(1);
        (world.log as string[]).length = 0;
      }
      if (minute % 10 === 0) void run.reset();
      samples.push(heapBytes());
    }
    expect(run.status().stepCount).toBeGreaterThan(100_000);
    const slope = ((samples.at(-1) ?? 0) - (samples[5] ?? 0)) / (50 * 60 * 30);
    Object.assign(task.meta, { figures: { "heap bytes a step": slope } });
    expect(slope).toBeLessThan(1024);
    const closing = run.close();
    await clock.advance(1);
    await closing;
  });
});
