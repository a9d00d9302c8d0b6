import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stepResult } from "@dreamloop/core";
import { described } from "../test-support/results.ts";
import { FrameTimeline } from "./frame-timeline.ts";

const result = (stepIndex: number, frameCount: number, generation = 0) =>
  stepResult({ stepIndex, frameCount, generation });

describe("FrameTimeline", () => {
  it("places frames one after the other, with a first step of another length", () => {
    const timeline = new FrameTimeline(described(8, 8, { framesPerStep: 4, firstStepFrames: 1 }));
    expect([result(0, 1), result(1, 4), result(2, 4)].map((each) => timeline.place(each))).toEqual([0, 1, 5]);
  });

  it("B5: leaves the gap of results that were dropped, so that the rest keeps its time", () => {
    const timeline = new FrameTimeline(described(8, 8, { framesPerStep: 2 }));
    expect([0, 1, 4, 5].map((stepIndex) => timeline.place(result(stepIndex, 2)))).toEqual([0, 2, 8, 10]);
  });

  it("E5: starts at 0 with the first result that arrives", () => {
    const timeline = new FrameTimeline(described(8, 8));
    expect(timeline.place(result(17, 1))).toBe(0);
    expect(timeline.place(result(19, 1))).toBe(2);
  });

  it("goes on after a reset where the frames before it ended", () => {
    const timeline = new FrameTimeline(described(8, 8));
    expect([result(0, 1), result(1, 1), result(0, 1, 1), result(1, 1, 1)].map((each) => timeline.place(each))).toEqual([
      0, 1, 2, 3,
    ]);
  });

  it("E5: gives strictly rising ticks at any rate and with any gaps", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 1000, noNaN: true }),
        fc.array(fc.record({ skip: fc.nat(3), frames: fc.nat(4), isReset: fc.boolean() }), { maxLength: 40 }),
        (framesPerSecond, steps) => {
          const timeline = new FrameTimeline(described(8, 8, { framesPerSecond, framesPerStep: 2 }));
          let stepIndex = 0;
          let generation = 0;
          let last = -1;
          for (const { skip, frames, isReset } of steps) {
            if (isReset) generation += 1;
            stepIndex = isReset ? 0 : stepIndex + 1 + skip;
            const first = timeline.place(result(stepIndex, frames, generation));
            for (let frame = first; frame < first + frames; frame += 1) {
              expect(timeline.ticks(frame)).toBeGreaterThan(last);
              last = timeline.ticks(frame);
            }
          }
        },
      ),
    );
  });
});
