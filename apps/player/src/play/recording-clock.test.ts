import { describe, expect, test } from "vitest";
import { RecordingClock, savedText, videoLength } from "./recording-clock.ts";

describe("the clock of a recording", () => {
  test("counts the frames that the world gave, not the time on the wall", () => {
    const clock = new RecordingClock(20);
    expect(clock.see(400)).toBe(0);
    expect(clock.see(433)).toBeCloseTo(1.65, 9);
  });

  test.each([
    [1.65, "1.7 s"],
    [9.94, "9.9 s"],
    [12.4, "12 s"],
    [59.7, "1:00 min"],
    [125, "2:05 min"],
  ])("writes %d s as %s", (seconds, words) => {
    expect(videoLength(seconds)).toBe(words);
  });

  test("says why a video is shorter than it took, and nothing of it when it is not", () => {
    expect(savedText(1.65, 3)).toContain("1.7 s of video from 3.0 s of play, at the world's own speed.");
    expect(savedText(2.9, 3)).toBe("Recording saved. 2.9 s of video. Find it in the menu under Recordings.");
  });
});
