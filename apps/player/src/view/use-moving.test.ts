import { describe, expect, test } from "vitest";
import { STILL_MILLISECONDS, StillWatch } from "./use-moving.ts";

describe("a video that is watched", () => {
  test("moves while pictures come, and stands still some time after the last", () => {
    const watch = new StillWatch();
    expect(watch.isMoving(0)).toBe(false);
    for (let at = 0; at <= 1000; at += 100) watch.see(at);
    expect(watch.isMoving(1000)).toBe(true);
    expect(watch.isMoving(1000 + STILL_MILLISECONDS - 1)).toBe(true);
    expect(watch.isMoving(1000 + STILL_MILLISECONDS)).toBe(false);
  });

  test("is not taken to move because of one picture, be it the first or a single step", () => {
    const watch = new StillWatch();
    watch.see(100);
    expect(watch.isMoving(100)).toBe(false);
    watch.see(5000);
    expect(watch.isMoving(5000)).toBe(false);
    watch.see(5050);
    expect(watch.isMoving(5050)).toBe(true);
  });
});
