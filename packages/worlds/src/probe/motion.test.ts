import { isDreamloopError } from "@dreamloop/core";
import { describe, expect, test } from "vitest";
import { readControls } from "./controls.ts";
import { assertNeutralAction, moveObject, pointerPosition, type ProbeObject } from "./motion.ts";

const REST: ProbeObject = { x: 8, y: 4, heading: 0, speed: 0 };

function after(seconds: number, step: Record<string, unknown>, start = REST): ProbeObject {
  let object = start;
  for (let frame = 0; frame < seconds * 100; frame += 1) object = moveObject(object, readControls(step), 0.01);
  return object;
}

describe("moveObject", () => {
  test("throttle goes ahead, reverse back, brake and stop bring it to rest", () => {
    const fast = after(0.5, { driverCommand: { throttle: 1 } });
    expect(fast.x).toBeGreaterThan(8.5);
    expect(fast.speed).toBeGreaterThan(2);
    expect(after(0.5, { driverCommand: { throttle: 1, reverse: true } }).x).toBeLessThan(7.5);
    expect(after(1, { driverCommand: { brake: 1 } }, fast).speed).toBe(0);
    expect(after(0.01, { driverCommand: { throttle: 1, stop: true } }, fast).speed).toBe(0);
  });

  test("positive steer turns left, which is counter-clockwise", () => {
    expect(after(0.5, { driverCommand: { steer: 1 } }).heading).toBeCloseTo(0.9, 6);
    expect(after(0.5, { driverCommand: { steer: -1 } }).heading).toBeCloseTo(2 * Math.PI - 0.9, 6);
  });

  test("camera axes and held directions move it over the stage", () => {
    expect(after(0.5, { cameraMotion: { moveRight: 1 } }).x).toBeCloseTo(10, 6);
    expect(after(0.5, { actions: { held: ["left"] } }).x).toBeCloseTo(6, 6);
    expect(after(0.5, { actions: { held: ["forward"] } }).y).toBeCloseTo(6, 6);
    expect(after(0.5, { actions: { held: ["forward", "back"] } }).y).toBe(4);
  });

  test("what leaves the stage on one side comes back on the other", () => {
    expect(after(3, { cameraMotion: { moveRight: 1 } }).x).toBeCloseTo(4, 6);
    expect(pointerPosition(-900, 0).x).toBeCloseTo(15, 6);
  });
});

describe("the neutral action", () => {
  test("A10: the neutral action is at rest in physical units, and a world in which it is not does not load", () => {
    assertNeutralAction(moveObject, 30);
    const creeping: typeof moveObject = (object, controls, seconds) => {
      const next = moveObject(object, controls, seconds);
      return { ...next, x: next.x + 0.2 * seconds };
    };
    const turning: typeof moveObject = (object, controls, seconds) => {
      const next = moveObject(object, controls, seconds);
      return next.speed === 0 ? next : { ...next, heading: next.heading + 0.01 };
    };
    for (const broken of [creeping, turning]) {
      let found: unknown;
      try {
        assertNeutralAction(broken, 30);
      } catch (error) {
        found = error;
      }
      expect(isDreamloopError(found, "load_failed") && found.message).toMatch(/neutral action.* m at rest.* rad/);
    }
  });
});
