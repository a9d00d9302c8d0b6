import { ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { FakeClock } from "./fake-clock.ts";

describe("FakeClock", () => {
  test("sleepers wake in the order of their times, equal times in the order of falling asleep", async () => {
    const clock = new FakeClock();
    const woken: string[] = [];
    const sleeper = async (name: string, timeSeconds: number): Promise<void> => {
      await clock.sleepUntil(timeSeconds);
      woken.push(`${name} at ${clock.nowSeconds()}`);
    };
    void sleeper("c", 3);
    void sleeper("a", 1);
    void sleeper("b1", 2);
    void sleeper("b2", 2);
    await clock.advance(2.5);
    expect(woken).toEqual(["a at 1", "b1 at 2", "b2 at 2"]);
    expect(clock.nowSeconds()).toBe(2.5);
    expect(clock.sleeperCount).toBe(1);
  });

  test("a sleeper that goes to sleep again is woken within the same advance", async () => {
    const clock = new FakeClock({ startSeconds: 10 });
    const times: number[] = [];
    void (async () => {
      for (let tick = 1; tick <= 5; tick += 1) {
        await clock.sleepUntil(10 + tick);
        for (let turn = 0; turn < 500; turn += 1) await Promise.resolve();
        times.push(clock.nowSeconds());
      }
    })();
    await clock.advance(4);
    expect(times).toEqual([11, 12, 13, 14]);
  });

  test("a time that is past resolves at once but never synchronously", async () => {
    const clock = new FakeClock({ startSeconds: 1 });
    let resolved = false;
    const sleeping = clock.sleepUntil(0.5).then(() => (resolved = true));
    expect(resolved).toBe(false);
    await sleeping;
    expect(resolved).toBe(true);
  });

  test("a signal wakes its sleeper early and leaves nothing behind", async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const sleeping = clock.sleepUntil(60, controller.signal);
    controller.abort();
    await sleeping;
    expect(clock.nowSeconds()).toBe(0);
    expect(clock.sleeperCount).toBe(0);
    await clock.sleepUntil(60, controller.signal);
  });

  test("advanceUntil stops as soon as the condition holds", async () => {
    const clock = new FakeClock();
    let ticks = 0;
    void (async () => {
      for (;;) {
        await clock.sleepUntil(clock.nowSeconds() + 0.25);
        ticks += 1;
      }
    })();
    await clock.advanceUntil(() => ticks === 6);
    expect(clock.nowSeconds()).toBe(1.5);
  });

  test("advanceUntil says why it cannot go on", async () => {
    const clock = new FakeClock();
    const idle = await clock.advanceUntil(() => false).catch((error: unknown) => error);
    expect(isDreamloopError(idle, ERROR_CODES.invalidState) && idle.message).toMatch(/nothing sleeps on this clock/);
    void clock.sleepUntil(100);
    const late = await clock.advanceUntil(() => false, { limitSeconds: 5 }).catch((error: unknown) => error);
    expect(isDreamloopError(late, ERROR_CODES.invalidState) && late.message).toMatch(/wakes at 100 s, after the limit/);
  });

  test("elapsed time wakes nobody until the next advance", async () => {
    const clock = new FakeClock();
    const woken: number[] = [];
    void clock.sleepUntil(1).then(() => woken.push(clock.nowSeconds()));
    clock.elapse(2);
    await clock.settle();
    expect(woken).toEqual([]);
    await clock.advance(0);
    expect(woken).toEqual([2]);
  });

  test("time never goes back", async () => {
    const clock = new FakeClock({ startSeconds: 3 });
    await expect(clock.advance(-1)).rejects.toThrow(/advance\(durationSeconds\)/);
    await expect(clock.advanceTo(2)).rejects.toThrow(/advanceTo\(timeSeconds\).*at least 3/);
    expect(() => clock.elapse(Number.NaN)).toThrow(/elapse/);
  });
});
