import { describe, expect, test } from "vitest";
import { FrameRateMeter, SLOW_MOTION_SHARE, speedOf } from "./frame-rates.ts";
import { plotPath } from "./plot.ts";

test("a plot runs from left to right and stays inside", () => {
  expect(plotPath([], { width: 100, height: 40, highest: 100 })).toBe("M0 40");
  expect(plotPath([0, 100, 900], { width: 100, height: 40, highest: 100 })).toBe("M0.0 39.0 L50.0 1.0 L100.0 1.0");
});

describe("the rates of frames", () => {
  /** Frames of these numbers, each some milliseconds after the one before. */
  function shown(indices: readonly number[], stepMilliseconds: number): { meter: FrameRateMeter; lastAt: number } {
    const meter = new FrameRateMeter();
    indices.forEach((index, place) => meter.see(index, place * stepMilliseconds));
    return { meter, lastAt: (indices.length - 1) * stepMilliseconds };
  }
  const even = (count: number, stride: number): number[] => Array.from({ length: count }, (_, place) => place * stride);

  test("are those of the frames that were shown, and of their numbers", () => {
    const { meter, lastAt } = shown(even(21, 2), 100);
    const rates = meter.read(lastAt);
    expect(rates?.shownFramesPerSecond).toBeCloseTo(10, 6);
    expect(rates?.generatedFramesPerSecond).toBeCloseTo(20, 6);
    expect(rates?.wallMilliseconds).toBeCloseTo(50, 6);
  });

  test("never show more frames than were made, however unevenly they come", () => {
    for (const steps of [[5, 90, 5, 90, 5], [300], [16, 17, 16, 17, 500], [1, 1, 1, 1, 1000]]) {
      const meter = new FrameRateMeter();
      let at = 0;
      for (let index = 0; index < 200; index += 1) {
        at += steps[index % steps.length] ?? 0;
        meter.see(index + (index % 7 === 0 ? 1 : 0), at);
        const rates = meter.read(at);
        if (rates === undefined) continue;
        expect(rates.shownFramesPerSecond).toBeLessThanOrEqual(rates.generatedFramesPerSecond + 1e-9);
      }
    }
  });

  test("exist for a world that needs seconds for a frame, and fall while nothing comes", () => {
    const { meter, lastAt } = shown(even(3, 1), 4000);
    expect(meter.read(lastAt)?.wallMilliseconds).toBeCloseTo(4000, 6);
    expect(meter.read(lastAt + 20_000)?.generatedFramesPerSecond).toBeLessThan(0.1);
  });

  test("are absent, not 0, while there is nothing to measure", () => {
    const meter = new FrameRateMeter();
    expect(meter.read(0)).toBeUndefined();
    meter.see(5, 10);
    expect(meter.read(1000)).toBeUndefined();
    meter.see(6, 60);
    meter.clear();
    expect(meter.read(1000)).toBeUndefined();
  });

  test("begin anew with another session, which counts its frames from 0", () => {
    const { meter, lastAt } = shown(even(10, 1), 50);
    meter.see(0, lastAt + 50);
    expect(meter.read(lastAt + 60)).toBeUndefined();
  });
});

test("the speed is the share of the world's own rate; what cannot be measured is real time", () => {
  expect(speedOf(20, 20)).toBe(1);
  expect(speedOf(20.4, 20)).toBe(1);
  expect(speedOf(10, 20)).toBe(0.5);
  expect(speedOf(18.9, 20)).toBeLessThan(SLOW_MOTION_SHARE);
});
