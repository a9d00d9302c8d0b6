import { DreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { ReconnectPolicy } from "./reconnect-policy.ts";

const lost = new DreamloopError("unavailable", "lost", { retryable: true });

describe("ReconnectPolicy", () => {
  test("C5: only errors marked retryable are retried", () => {
    const policy = new ReconnectPolicy(() => 0.5);
    expect(policy.failed(new DreamloopError("unauthorized", "no"))).toEqual({
      action: "give_up",
      reason: "not_retryable",
    });
    expect(policy.failed(new Error("odd"))).toEqual({ action: "give_up", reason: "not_retryable" });
    expect(policy.failed(lost).action).toBe("retry");
  });

  test("C5: waits double up to a cap, are spread, and end after a number of attempts", () => {
    const policy = new ReconnectPolicy(() => 1, {
      firstDelayMilliseconds: 100,
      longestDelayMilliseconds: 500,
      maxAttempts: 6,
    });
    const waits = Array.from({ length: 6 }, () => policy.failed(lost)).map((each) =>
      each.action === "retry" ? each.delayMilliseconds : Number.NaN,
    );
    expect(waits).toEqual([0, 100, 200, 400, 500, 500]);
    expect(policy.failed(lost)).toEqual({ action: "give_up", reason: "attempts" });
    policy.succeeded();
    expect(policy.failed(lost)).toEqual({ action: "retry", delayMilliseconds: 0 });
    const half = new ReconnectPolicy(() => 0, { firstDelayMilliseconds: 100 });
    half.failed(lost);
    expect(half.failed(lost)).toEqual({ action: "retry", delayMilliseconds: 50 });
  });

  test("C5: a wait that the server names is kept", () => {
    const policy = new ReconnectPolicy(() => 0.5);
    const busy = new DreamloopError("busy", "full", { retryable: true, details: { retryAfterSeconds: 7 } });
    expect(policy.failed(busy)).toEqual({ action: "retry", delayMilliseconds: 7000 });
  });
});
