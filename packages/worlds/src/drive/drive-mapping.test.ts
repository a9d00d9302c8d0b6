import { canonicalInputs, modelInputs, stepRequest, timeWindow } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { NEUTRAL_DRIVER_COMMAND } from "./command.ts";
import { driveMapping } from "./drive-mapping.ts";
import { MOTION_LENGTH } from "./motion.ts";
import { MAP_PLANE_COUNT } from "./raster/target.ts";
import type { DriveState } from "./state.ts";
import { DriveWorldCache } from "./drive-mapping.ts";

const MAP_BYTES = MAP_PLANE_COUNT * 384 * 224;

function step(mapping: ReturnType<typeof driveMapping>, state: DriveState, steer: number, endSeconds = 0.05) {
  return mapping.mapStepInputs({
    canonical: canonicalInputs({ values: { driver_command: { ...NEUTRAL_DRIVER_COMMAND, throttle: 0.5, steer } } }),
    modelInputs: modelInputs({ initial: { prompt: "snow" } }),
    state,
    request: stepRequest({ stepIndex: 0, userInputWindow: timeWindow({ startSeconds: 0, endSeconds }) }),
  });
}

describe("driveMapping", () => {
  const mapping = driveMapping({ trackSeed: 6 });

  it("makes map and motion for the pose at the start, beside what was there", () => {
    const state = mapping.createState(1);
    const { inputs, state: after } = mapping.mapInitialInputs({
      modelInputs: modelInputs({ initial: { prompt: "fog" } }),
      state,
    });
    expect(after).toEqual(state);
    expect(inputs.initial?.prompt).toBe("fog");
    expect(inputs.initial?.map).toHaveLength(MAP_BYTES);
    expect(inputs.initial?.motion).toHaveLength(MOTION_LENGTH);
  });

  it("advances by one frame time whatever the length of the window, without changing the state it was given", () => {
    const state = mapping.createState(1);
    const before = JSON.stringify(state);
    const short = step(mapping, state, 0, 0.05).state;
    const long = step(mapping, state, 0, 2).state;
    expect(JSON.stringify(state)).toBe(before);
    expect(long).toEqual(short);
    expect(short.stepIndex).toBe(1);
  });

  it("F3: gives the same map for a state that has been stored, beside other drives", () => {
    const first = driveMapping();
    const other = driveMapping();
    let state = first.createState(8);
    for (let index = 0; index < 5; index++) state = step(first, state, 0.4).state;
    step(other, other.createState(9), -1);
    const stored = JSON.parse(JSON.stringify(state)) as DriveState;
    const one = step(first, state, -0.2).inputs.step;
    const two = step(other, stored, -0.2).inputs.step;
    expect(Buffer.from(one?.map as Uint8Array).equals(two?.map as Uint8Array)).toBe(true);
    expect(one?.motion).toEqual(two?.motion);
  });

  it("steers left and right to different pictures", () => {
    let left = mapping.createState(1);
    let right = left;
    for (let index = 0; index < 10; index++) {
      left = step(mapping, left, 1).state;
      right = step(mapping, right, -1).state;
    }
    expect(left.ego.headingRadians).toBeGreaterThan(right.ego.headingRadians);
    const maps = [step(mapping, left, 1), step(mapping, right, -1)].map(({ inputs }) => inputs.step?.map as Uint8Array);
    expect(maps[0]).not.toEqual(maps[1]);
  });

  it("coasts when no device has spoken yet", () => {
    const state = mapping.createState(1);
    const { state: next } = mapping.mapStepInputs({
      canonical: canonicalInputs(),
      modelInputs: modelInputs(),
      state,
      request: stepRequest({ stepIndex: 0 }),
    });
    expect(next.throttle).toBe(0);
    expect(next.ego.speedMetresPerSecond).toBeLessThan(state.ego.speedMetresPerSecond);
  });
});

describe("DriveWorldCache", () => {
  it("I2: keeps a bounded number of worlds and makes one again after it has gone", () => {
    const cache = new DriveWorldCache(2);
    const first = cache.get(1);
    expect(Object.is(cache.get(1), first)).toBe(true);
    cache.get(2);
    cache.get(3);
    expect(cache.size).toBe(2);
    expect(Object.is(cache.get(1), first)).toBe(false);
    expect(cache.get(1).track.x).toEqual(first.track.x);
  });
});
