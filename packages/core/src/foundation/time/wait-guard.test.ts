import { describe, expect, it, vi } from "vitest";
import { FakeClock } from "@dreamloop/testing";
import { DEFAULT_WAIT_LIMITS, readWaitLimits, WaitGuard, waitLimitsOf } from "./wait-guard.ts";

const LIMITS = { loadSeconds: 100, stepSeconds: 10, outputSeconds: 8, closeSeconds: 3, stopSeconds: 2 };
const never = (): Promise<never> => new Promise(() => undefined);

function caught(promise: unknown): Promise<unknown> {
  return Promise.resolve(promise).then(
    (value) => ({ value }),
    (error: unknown) => error,
  );
}

describe("WaitGuard", () => {
  it("R1: a wait that is over its limit ends with an error that names what did not answer", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    const step = caught(guard.wait({ what: "step 3", kind: "step" }, never));
    const close = caught(guard.wait({ what: "the close of the session", kind: "close" }, never));
    await clock.advance(3);
    expect(await close).toMatchObject({
      code: "timed_out",
      message:
        "the close of the session did not answer within 3 s; raise resourceHints.closeSeconds (waits.closeSeconds in a program) if it needs longer",
    });
    await clock.advance(7);
    expect(await step).toMatchObject({ code: "timed_out", message: expect.stringContaining("step 3") as string });
  });

  it("passes on what is answered in time, and what is no promise at once", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    expect(guard.wait({ what: "a write", kind: "output" }, () => 7)).toBe(7);
    const answer = guard.wait({ what: "a write", kind: "output" }, async () => {
      await clock.sleepUntil(7);
      return 8;
    });
    await clock.advance(7);
    expect(await answer).toBe(8);
    const failure = new Error("no");
    expect(await caught(guard.wait({ what: "a write", kind: "output" }, () => Promise.reject(failure)))).toBe(failure);
  });

  it("R1: a wait that begins later has its own limit", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    await guard.wait({ what: "step 0", kind: "step" }, () => Promise.resolve());
    await clock.advance(9);
    const ended = vi.fn();
    const step = caught(guard.wait({ what: "step 1", kind: "step" }, never)).then(ended);
    await clock.advance(9);
    expect(ended).not.toHaveBeenCalled();
    await clock.advance(1);
    await step;
    expect(ended).toHaveBeenCalledWith(expect.objectContaining({ code: "timed_out" }));
  });

  it("R2: after a cancellation a step has the stop time left, an output its own", async () => {
    const clock = new FakeClock();
    const abort = new AbortController();
    const guard = new WaitGuard(clock, LIMITS, abort.signal);
    const step = caught(guard.wait({ what: "step 5", kind: "step" }, never));
    const write = caught(guard.wait({ what: "the write", kind: "output" }, never));
    await clock.advance(1);
    abort.abort("enough");
    await clock.advance(2);
    expect(await step).toMatchObject({
      code: "cancelled",
      message: "step 5 did not answer within 2 s after the run was cancelled",
      cause: "enough",
    });
    await clock.advance(5);
    expect(await write).toMatchObject({ code: "timed_out" });
  });

  it("R2: a run that is asked to end names the step that does not", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    guard.stop("the session was closed");
    const step = caught(guard.wait({ what: "step 5", kind: "step" }, never));
    await clock.advance(2);
    expect(await step).toMatchObject({
      code: "timed_out",
      message: "step 5 did not answer within 2 s after the session was closed",
    });
  });

  it("R2: a load is left at once when the run is asked to end", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    const load = caught(guard.wait({ what: "the load", kind: "load" }, never));
    guard.stop("the session was closed");
    expect(await load).toMatchObject({ code: "cancelled", message: "the load was cancelled: the session was closed" });
  });

  it("R3: an answer that comes too late is freed", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    const free = vi.fn();
    const late = async (): Promise<string> => {
      await clock.sleepUntil(20);
      return "late";
    };
    const step = caught(guard.wait({ what: "step 0", kind: "step", free }, late));
    await clock.advance(10);
    await step;
    await clock.advance(10);
    expect(free).toHaveBeenCalledWith("late");
  });

  it("leaves nobody asleep once it is closed", async () => {
    const clock = new FakeClock();
    const guard = new WaitGuard(clock, LIMITS);
    await guard.wait({ what: "step 0", kind: "step" }, () => Promise.resolve());
    guard.close();
    await clock.settle();
    expect(clock.sleeperCount).toBe(0);
  });

  it("does not spin on a clock that stands still", async () => {
    const guard = new WaitGuard({ nowSeconds: () => 0, sleepUntil: () => Promise.resolve() }, LIMITS);
    const answer = guard.wait(
      { what: "step 0", kind: "step" },
      () => new Promise((resolve) => setImmediate(resolve, 1)),
    );
    expect(await answer).toBe(1);
  });
});

describe("readWaitLimits", () => {
  it("takes limits from resource hints, leaves other hints alone, and names a wrong one", () => {
    expect(waitLimitsOf({ stepSeconds: 600, workers: 4 })).toEqual({ stepSeconds: 600 });
    expect(waitLimitsOf()).toEqual({});
    expect(() => waitLimitsOf({ loadSeconds: "long" })).toThrow("resourceHints.loadSeconds");
  });

  it("fills in the defaults and refuses what is no limit", () => {
    expect(readWaitLimits(undefined, "waits")).toBe(DEFAULT_WAIT_LIMITS);
    expect(readWaitLimits({ stepSeconds: 1 }, "waits")).toEqual({ ...DEFAULT_WAIT_LIMITS, stepSeconds: 1 });
    expect(() => readWaitLimits({ stepSeconds: 0 }, "waits")).toThrow("waits.stepSeconds");
    expect(() => readWaitLimits({ steps: 1 }, "waits")).toThrow("steps");
  });
});
