import { isDreamloopError, type LoadProgress } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { SharedLoads, type Closable } from "./shared-loads.ts";

/** A load that a test finishes by hand. */
class FakeLoad {
  started = 0;
  closed = 0;
  signal: AbortSignal | undefined;
  tell: (progress: LoadProgress) => void = () => undefined;
  finish: () => void = () => undefined;
  fail: (error: Error) => void = () => undefined;

  readonly load = (signal: AbortSignal, tell: (progress: LoadProgress) => void): Promise<Closable> => {
    this.started += 1;
    this.signal = signal;
    this.tell = tell;
    return new Promise((resolve, reject) => {
      this.finish = () => resolve({ close: async () => void (this.closed += 1) });
      this.fail = reject;
    });
  };
}

async function outcome(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => "fulfilled",
    (error: unknown) => error,
  );
}

describe("SharedLoads", () => {
  test("J4: two requests for the same thing load it once, and the last to let go frees it", async () => {
    const loads = new SharedLoads();
    const fake = new FakeLoad();
    const seen: string[] = [];
    const first = loads.acquire({ key: "a", load: fake.load });
    const second = loads.acquire({ key: "a", load: fake.load, onProgress: ({ stage }) => seen.push(stage) });
    await Promise.resolve();
    fake.tell({ stage: "weights" });
    fake.finish();
    const leases = await Promise.all([first, second]);
    expect(fake.started).toBe(1);
    expect(leases[0].value).toBe(leases[1].value);
    expect(seen).toEqual(["weights"]);
    await leases[0].release();
    await leases[0].release();
    expect(fake.closed).toBe(0);
    await leases[1].release();
    expect(fake.closed).toBe(1);
    expect(loads.size).toBe(0);
  });

  test("a wait that is cancelled ends at once, and the load goes on for the others", async () => {
    const loads = new SharedLoads();
    const fake = new FakeLoad();
    const controller = new AbortController();
    const cancelled = outcome(loads.acquire({ key: "a", load: fake.load, signal: controller.signal }));
    const kept = loads.acquire({ key: "a", load: fake.load });
    await Promise.resolve();
    controller.abort();
    expect(isDreamloopError(await cancelled, "cancelled")).toBe(true);
    expect(fake.signal?.aborted).toBe(false);
    fake.finish();
    await (await kept).release();
    expect(fake.closed).toBe(1);
  });

  test("cancelling the only wait cancels the load; what comes out of it after all is freed", async () => {
    const loads = new SharedLoads();
    const fake = new FakeLoad();
    const controller = new AbortController();
    const cancelled = outcome(loads.acquire({ key: "a", load: fake.load, signal: controller.signal }));
    await Promise.resolve();
    controller.abort();
    expect(isDreamloopError(await cancelled, "cancelled")).toBe(true);
    expect(fake.signal?.aborted).toBe(true);
    expect(loads.size).toBe(1);
    const again = new FakeLoad();
    const next = loads.acquire({ key: "a", load: again.load });
    await Promise.resolve();
    expect(again.started).toBe(0);
    fake.finish();
    while (again.started === 0) await Promise.resolve();
    expect(fake.closed).toBe(1);
    again.finish();
    await (await next).release();
    expect(loads.size).toBe(0);
  });

  test("a load that fails tells everybody and can be tried again", async () => {
    const loads = new SharedLoads();
    const fake = new FakeLoad();
    const waits = [1, 2].map(() => outcome(loads.acquire({ key: "a", load: fake.load })));
    await Promise.resolve();
    fake.fail(new Error("no memory"));
    for (const error of await Promise.all(waits)) expect(error).toMatchObject({ message: "no memory" });
    expect(loads.size).toBe(0);
    const again = loads.acquire({ key: "a", load: fake.load });
    await Promise.resolve();
    fake.finish();
    await (await again).release();
    expect(fake.started).toBe(2);
  });

  test("a signal that has fired loads nothing", async () => {
    const fake = new FakeLoad();
    const wait = new SharedLoads().acquire({ key: "a", load: fake.load, signal: AbortSignal.abort() });
    expect(isDreamloopError(await outcome(wait), "cancelled")).toBe(true);
    expect(fake.started).toBe(0);
  });
});
