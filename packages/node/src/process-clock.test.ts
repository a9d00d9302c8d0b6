import { Worker } from "node:worker_threads";
import { once } from "node:events";
import { describe, expect, test, vi } from "vitest";
import { ProcessClock } from "./process-clock.ts";

describe("ProcessClock", () => {
  const clock = new ProcessClock();

  test("never goes back and never resolves early", async () => {
    const start = clock.nowSeconds();
    let last = start;
    for (const restSeconds of [0.0001, 0.0011, 0.0026, 0.0049]) {
      const due = clock.nowSeconds() + restSeconds;
      await clock.sleepUntil(due);
      const now = clock.nowSeconds();
      expect(now).toBeGreaterThanOrEqual(due);
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  test.each([-Infinity, 0, Number.NaN])(
    "a sleep until %s lets messages in that have arrived, and ends",
    async (time) => {
      const order: string[] = [];
      setImmediate(() => order.push("message"));
      const slept = clock.sleepUntil(time).then(() => order.push("slept"));
      order.push("called");
      await slept;
      expect(order).toEqual(["called", "message", "slept"]);
    },
  );

  test("a signal ends a sleep without end, at once when it has fired before, and leaves no listener", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const removed = vi.spyOn(signal, "removeEventListener");
    const slept = clock.sleepUntil(Infinity, signal);
    setImmediate(() => controller.abort());
    await slept;
    expect(removed).toHaveBeenCalledWith("abort", expect.any(Function));
    const order: string[] = [];
    setImmediate(() => order.push("message"));
    await clock.sleepUntil(Infinity, signal);
    expect(order).toEqual(["message"]);
  });

  test("sleeps longer than a timer can take are cut into several", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "hrtime"] });
    try {
      let ended = false;
      const days = 60;
      const slept = clock.sleepUntil(clock.nowSeconds() + days * 86_400).then(() => (ended = true));
      await vi.advanceTimersByTimeAsync(days * 86_400_000 - 10);
      expect(ended).toBe(false);
      await vi.advanceTimersByTimeAsync(20);
      await slept;
      expect(ended).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test("has the same origin in every thread", async () => {
    const code = `require("node:worker_threads").parentPort.postMessage(Number(process.hrtime.bigint()) / 1e9)`;
    const before = clock.nowSeconds();
    const worker = new Worker(code, { eval: true });
    const [inWorker] = (await once(worker, "message")) as [number];
    await worker.terminate();
    expect(inWorker).toBeGreaterThan(before);
    expect(inWorker).toBeLessThan(clock.nowSeconds());
  });
});
