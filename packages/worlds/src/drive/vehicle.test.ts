import type { DriverCommand } from "@dreamloop/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NEUTRAL_DRIVER_COMMAND } from "./command.ts";
import { DRIVE_STEP_SECONDS } from "./dimensions.ts";
import type { SurfaceKind } from "./surface.ts";
import {
  advanceVehicle,
  MAXIMUM_REVERSE_SPEED_METRES_PER_SECOND,
  MAXIMUM_SPEED_METRES_PER_SECOND,
  STEER_RATE_RADIANS_PER_SECOND,
  steerLimitRadians,
  wrapAngle,
  type VehicleState,
} from "./vehicle.ts";

const AT_REST: VehicleState = {
  xMetres: 0,
  yMetres: 0,
  headingRadians: 0,
  speedMetresPerSecond: 0,
  steerAngleRadians: 0,
  yawRateRadiansPerSecond: 0,
  accelerationMetresPerSecondSquared: 0,
};

function drive(
  start: Partial<VehicleState>,
  command: Partial<DriverCommand>,
  seconds: number,
  surface: SurfaceKind = "road",
): VehicleState {
  let state = { ...AT_REST, ...start };
  for (let step = 0; step < Math.round(seconds / DRIVE_STEP_SECONDS); step++) {
    state = advanceVehicle(state, { ...NEUTRAL_DRIVER_COMMAND, ...command }, surface, DRIVE_STEP_SECONDS);
  }
  return state;
}

describe("advanceVehicle", () => {
  it("A10: neutral is no force and straight wheels: a standing car stays where it is, a moving one coasts to rest", () => {
    expect(drive({}, {}, 10)).toEqual(AT_REST);
    const coasting = drive({ speedMetresPerSecond: 10 }, {}, 2);
    expect(coasting.speedMetresPerSecond).toBeGreaterThan(7);
    expect(coasting.speedMetresPerSecond).toBeLessThan(10);
    expect(coasting.headingRadians).toBe(0);
    expect(drive({ speedMetresPerSecond: 10 }, {}, 60).speedMetresPerSecond).toBe(0);
  });

  it("gathers speed under throttle up to a limit of the engine and the air", () => {
    expect(drive({}, { throttle: 1 }, 3).speedMetresPerSecond).toBeGreaterThan(9);
    const top = drive({}, { throttle: 1 }, 90).speedMetresPerSecond;
    expect(top).toBeGreaterThan(20);
    expect(top).toBeLessThanOrEqual(MAXIMUM_SPEED_METRES_PER_SECOND);
  });

  it("turns left for positive and right for negative steering, and the other way round in reverse", () => {
    const left = drive({ speedMetresPerSecond: 8 }, { steer: 1, throttle: 0.3 }, 1);
    expect(left.headingRadians).toBeGreaterThan(0.2);
    expect(left.yMetres).toBeGreaterThan(0);
    const right = drive({ speedMetresPerSecond: 8 }, { steer: -1, throttle: 0.3 }, 1);
    expect(right.headingRadians).toBe(-left.headingRadians);
    expect(drive({}, { steer: 1, throttle: 1, reverse: true }, 2).headingRadians).toBeLessThan(0);
  });

  it("brakes to a stop and not beyond, with the pedal and with stop", () => {
    for (const command of [{ brake: 1 }, { stop: true, throttle: 1 }]) {
      const stopped = drive({ speedMetresPerSecond: 20 }, command, 4);
      expect(stopped.speedMetresPerSecond).toBe(0);
      expect(stopped.xMetres).toBeGreaterThan(15);
      expect(stopped.xMetres).toBeLessThan(40);
    }
  });

  it("stops before it goes backwards when reverse is chosen at speed", () => {
    expect(
      drive({ speedMetresPerSecond: 10 }, { reverse: true, throttle: 1 }, 0.5).speedMetresPerSecond,
    ).toBeGreaterThan(0);
    const back = drive({ speedMetresPerSecond: 10 }, { reverse: true, throttle: 1 }, 20).speedMetresPerSecond;
    expect(back).toBeLessThan(-2);
    expect(back).toBeGreaterThanOrEqual(-MAXIMUM_REVERSE_SPEED_METRES_PER_SECOND);
  });

  it("is slower off the road and holds less in a bend there", () => {
    const road = drive({}, { throttle: 1 }, 30).speedMetresPerSecond;
    const shoulder = drive({}, { throttle: 1 }, 30, "shoulder").speedMetresPerSecond;
    const grass = drive({}, { throttle: 1 }, 30, "grass").speedMetresPerSecond;
    expect(grass).toBeLessThan(shoulder);
    expect(shoulder).toBeLessThan(road);
    expect(grass).toBeLessThan(12);
    expect(steerLimitRadians(15, "grass")).toBeLessThan(steerLimitRadians(15, "road"));
  });

  it("keeps speed, wheel angle, turn of the wheel and sideways acceleration within their limits for any command", () => {
    const command = fc.record({
      throttle: fc.double({ min: 0, max: 1, noNaN: true }),
      brake: fc.double({ min: 0, max: 1, noNaN: true }),
      steer: fc.double({ min: -1, max: 1, noNaN: true }),
      reverse: fc.boolean(),
      stop: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(command, { minLength: 1, maxLength: 60 }), (commands) => {
        let state: VehicleState = { ...AT_REST, speedMetresPerSecond: 12 };
        for (const each of commands) {
          const next = advanceVehicle(state, each, "road", DRIVE_STEP_SECONDS);
          const turned = Math.abs(next.steerAngleRadians) - Math.abs(state.steerAngleRadians);
          const speed = next.speedMetresPerSecond;
          expect(Math.abs(speed)).toBeLessThanOrEqual(MAXIMUM_SPEED_METRES_PER_SECOND);
          expect(turned).toBeLessThanOrEqual(STEER_RATE_RADIANS_PER_SECOND * DRIVE_STEP_SECONDS + 1e-9);
          expect((speed * speed * Math.tan(Math.abs(next.steerAngleRadians))) / 2.7).toBeLessThan(7.51);
          expect(Math.abs(next.headingRadians)).toBeLessThanOrEqual(Math.PI);
          state = next;
        }
      }),
    );
  });
});

describe("wrapAngle", () => {
  it("keeps directions and brings them within one turn", () => {
    expect(wrapAngle(3 * Math.PI)).toBeCloseTo(Math.PI, 12);
    expect(wrapAngle(-3.5 * Math.PI)).toBeCloseTo(0.5 * Math.PI, 12);
    expect(wrapAngle(1)).toBe(1);
  });
});
