import { describe, expect, test } from "vitest";
import { fileName, isMuchShorter, RecordingClock } from "./recording-clock.ts";

describe("the clock of a recording", () => {
  test("counts the frames that the world gave, not the time on the wall", () => {
    const clock = new RecordingClock(20);
    expect(clock.see(400)).toBe(0);
    expect(clock.see(433)).toBeCloseTo(1.65, 9);
  });

  test("a video that is much shorter than the time it took is told apart", () => {
    expect(isMuchShorter(1.65, 3)).toBe(true);
    expect(isMuchShorter(2.9, 3)).toBe(false);
    expect(isMuchShorter(0.4, 1)).toBe(false);
  });
});

test("a file is named after its world, the seed and the time, in signs that every system takes", () => {
  const endedAt = new Date(2026, 11, 1, 3, 5, 9);
  expect(fileName({ world: "drive", seed: 7, endedAt, extension: "mp4" })).toBe("drive-seed-7-2026-12-01-030509.mp4");
  expect(fileName({ world: "./worlds/ü b.mjs", seed: undefined, endedAt, extension: "trace" })).toBe(
    "worlds-ü-b-mjs-2026-12-01-030509.trace",
  );
  expect(fileName({ world: "../..", seed: 0, endedAt, extension: "tar" })).toBe("world-seed-0-2026-12-01-030509.tar");
});
