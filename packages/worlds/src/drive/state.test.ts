import type { DriverCommand } from "@dreamloop/core";
import { describe, expect, it } from "vitest";
import { carDiscs } from "./collision.ts";
import { NEUTRAL_DRIVER_COMMAND } from "./command.ts";
import { DRIVE_STEP_SECONDS } from "./dimensions.ts";
import { advanceDrive, createDriveState, type DriveState } from "./state.ts";
import { trackPointAt } from "./track.ts";
import { trafficPose } from "./traffic.ts";
import { createDriveWorld } from "./world.ts";

const world = createDriveWorld(4);

function run(
  state: DriveState,
  steps: number,
  command: (state: DriveState, step: number) => DriverCommand,
): DriveState {
  for (let step = 0; step < steps; step++) state = advanceDrive(world, state, command(state, step), DRIVE_STEP_SECONDS);
  return state;
}

/** Distance between the nearest circles of the driven car and any other car; below 0 they overlap. */
function gapToTraffic(state: DriveState): number {
  let gap = Infinity;
  const own = carDiscs(state.ego.xMetres, state.ego.yMetres, state.ego.headingRadians);
  for (const car of state.traffic) {
    const pose = trafficPose(world, car);
    for (const other of carDiscs(pose.xMetres, pose.yMetres, pose.headingRadians)) {
      for (const disc of own) {
        const distance = Math.hypot(disc.xMetres - other.xMetres, disc.yMetres - other.yMetres);
        gap = Math.min(gap, distance - disc.radiusMetres - other.radiusMetres);
      }
    }
  }
  return gap;
}

const weaving = (_: DriveState, step: number): DriverCommand => ({
  ...NEUTRAL_DRIVER_COMMAND,
  throttle: step % 90 < 60 ? 0.7 : 0,
  brake: step % 90 > 80 ? 0.8 : 0,
  steer: ((step % 40) - 20) / 20,
});

describe("advanceDrive", () => {
  it("G2: gives the same bits for the same commands, and for a state that has been through JSON", () => {
    const first = run(createDriveState(world), 200, weaving);
    const half = JSON.parse(JSON.stringify(run(createDriveState(world), 100, weaving))) as DriveState;
    const second = run(half, 100, (state, step) => weaving(state, step + 100));
    expect(second).toEqual(first);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
  });

  it("does not change the state that it is given", () => {
    const start = createDriveState(world);
    const before = JSON.stringify(start);
    advanceDrive(world, start, weaving(start, 5), DRIVE_STEP_SECONDS);
    expect(JSON.stringify(start)).toBe(before);
  });

  it("leaves a standing car where it is while the others drive on", () => {
    const start = createDriveState(world, { speedMetresPerSecond: 0, stationMetres: 100, lateralMetres: -12 });
    const end = run(start, 100, () => NEUTRAL_DRIVER_COMMAND);
    expect(end.ego).toEqual(start.ego);
    expect(end.traffic).not.toEqual(start.traffic);
    expect(end.impactMetresPerSecond).toBe(0);
  });

  it("slows the car on the grass", () => {
    const start = createDriveState(world, { speedMetresPerSecond: 15, trafficCars: 0, lateralMetres: -6 });
    const end = run(start, 20, () => ({ ...NEUTRAL_DRIVER_COMMAND, throttle: 1 }));
    expect(end.ego.speedMetresPerSecond).toBeLessThan(13.5);
  });

  it("stops the car at a tree", () => {
    const tree = world.scenery.find(({ kind }) => kind === "conifer" || kind === "broadleaf")!;
    const start = createDriveState(world, { trafficCars: 0 });
    let state: DriveState = {
      ...start,
      ego: {
        ...start.ego,
        xMetres: tree.xMetres - 9,
        yMetres: tree.yMetres,
        headingRadians: 0,
        speedMetresPerSecond: 9,
      },
    };
    let hardest = 0;
    for (let step = 0; step < 80; step++) {
      state = advanceDrive(world, state, { ...NEUTRAL_DRIVER_COMMAND, throttle: 0.5 }, DRIVE_STEP_SECONDS);
      hardest = Math.max(hardest, state.impactMetresPerSecond);
      for (const disc of carDiscs(state.ego.xMetres, state.ego.yMetres, state.ego.headingRadians)) {
        expect(Math.hypot(disc.xMetres - tree.xMetres, disc.yMetres - tree.yMetres)).toBeGreaterThan(disc.radiusMetres);
      }
    }
    expect(hardest).toBeGreaterThan(3);
    expect(state.ego.xMetres).toBeLessThan(tree.xMetres);
  });

  it("keeps other cars from driving into a car that stands in their lane, and lets them drive off afterwards", () => {
    const start = createDriveState(world, { speedMetresPerSecond: 0, trafficCars: 14, stationMetres: 200 });
    let state = start;
    for (let step = 0; step < 900; step++) {
      state = advanceDrive(world, state, { ...NEUTRAL_DRIVER_COMMAND, stop: true }, DRIVE_STEP_SECONDS);
      expect(gapToTraffic(state)).toBeGreaterThan(-1e-9);
    }
    expect(state.ego.xMetres).toBe(start.ego.xMetres);
    const behind = state.traffic.filter((car) => car.direction === 1);
    expect(behind.some((car) => car.speedMetresPerSecond < 0.2)).toBe(true);
    expect(state.traffic.filter((car) => car.direction === -1).every((car) => car.speedMetresPerSecond > 1)).toBe(true);
  });

  it("never lets cars overlap when the driven car rams them", () => {
    let state = createDriveState(world, { speedMetresPerSecond: 12, trafficCars: 14, lateralMetres: 1.8 });
    let impacts = 0;
    for (let step = 0; step < 600; step++) {
      const { ego } = state;
      const goal = state.traffic
        .map((car) => trafficPose(world, car))
        .sort(
          (a, b) =>
            Math.hypot(a.xMetres - ego.xMetres, a.yMetres - ego.yMetres) -
            Math.hypot(b.xMetres - ego.xMetres, b.yMetres - ego.yMetres),
        )[0];
      const turn = Math.atan2(goal.yMetres - ego.yMetres, goal.xMetres - ego.xMetres) - ego.headingRadians;
      const steer = Math.max(-1, Math.min(1, 3 * Math.sin(turn)));
      state = advanceDrive(world, state, { ...NEUTRAL_DRIVER_COMMAND, throttle: 0.8, steer }, DRIVE_STEP_SECONDS);
      if (state.impactMetresPerSecond > 0) impacts++;
      expect(gapToTraffic(state)).toBeGreaterThan(-0.35);
    }
    expect(impacts).toBeGreaterThan(0);
  });

  it("keeps the others in their lanes and at a distance", () => {
    const end = run(
      createDriveState(world, { trafficCars: 16, speedMetresPerSecond: 0, lateralMetres: 14 }),
      600,
      () => NEUTRAL_DRIVER_COMMAND,
    );
    for (const car of end.traffic) {
      const pose = trafficPose(world, car);
      const centre = trackPointAt(world.track, car.stationMetres);
      const offset =
        centre.tangentX * (pose.yMetres - centre.yMetres) - centre.tangentY * (pose.xMetres - centre.xMetres);
      expect(offset).toBeCloseTo(-1.8 * car.direction, 6);
      for (const other of end.traffic) {
        if (other === car || other.direction !== car.direction) continue;
        const gap = Math.abs(other.stationMetres - car.stationMetres);
        expect(Math.min(gap, world.track.lengthMetres - gap)).toBeGreaterThan(4.4);
      }
    }
  });
});
