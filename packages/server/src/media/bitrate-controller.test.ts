import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BitrateController, MIN_CHANGE_SECONDS } from "./bitrate-controller.ts";

const BOUNDS = { min: 200_000, start: 2_000_000, max: 2_000_000 };

describe("the bitrate", () => {
  it("goes down with loss and with an estimate below what is sent, and up again when the path is clear", () => {
    const controller = new BitrateController(BOUNDS);
    controller.report({ fractionLost: 0.4 });
    expect(controller.decide(10, 2_000_000)).toBe(1_600_000);
    controller.report({ estimatedBitsPerSecond: 800_000 });
    expect(controller.decide(14, 1_500_000)).toBe(720_000);
    expect(controller.decide(18, 700_000)).toBeUndefined();
    expect(controller.decide(25, 700_000)).toBe(936_000);
  });

  it("does not follow an estimate that is only low because little was sent", () => {
    const controller = new BitrateController(BOUNDS);
    for (let second = 0; second < 60; second += 1) {
      controller.report({ estimatedBitsPerSecond: 300_000, fractionLost: 0 });
      expect(controller.decide(second, 200_000)).toBeUndefined();
    }
    expect(controller.targetBitsPerSecond).toBe(2_000_000);
  });

  it("stays within its bounds and changes at most every 3 s, whatever receivers say", () => {
    const report = fc.record(
      {
        fractionLost: fc.double({ min: 0, max: 1, noNaN: true }),
        estimatedBitsPerSecond: fc.integer({ min: 0, max: 1e9 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(report, fc.integer({ min: 0, max: 5_000_000 })), { maxLength: 60 }), (reports) => {
        const controller = new BitrateController(BOUNDS);
        let changed = -Infinity;
        for (const [index, [each, sent]] of reports.entries()) {
          controller.report(each);
          const target = controller.decide(index * 0.5, sent);
          if (target === undefined) continue;
          expect(target).toBeGreaterThanOrEqual(BOUNDS.min);
          expect(target).toBeLessThanOrEqual(BOUNDS.max);
          expect(index * 0.5 - changed).toBeGreaterThanOrEqual(MIN_CHANGE_SECONDS);
          changed = index * 0.5;
        }
      }),
    );
  });
});
