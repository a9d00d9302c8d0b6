import type { DriverCommand } from "@dreamloop/core";
import {
  lateralAt,
  LANE_CENTRE_METRES,
  NEUTRAL_DRIVER_COMMAND,
  stationAt,
  steerLimitRadians,
  trackPointAt,
  type DriveState,
  type DriveWorld,
} from "@dreamloop/worlds/drive";

/** Source of uniform numbers in [0, 1). */
export type Uniform = () => number;

/** Ways of driving that the data contain, with their share. */
export const DRIVER_STYLES = {
  cruise: 0.3,
  slalom: 0.12,
  oncomingLane: 0.07,
  offRoad: 0.15,
  standing: 0.05,
  brakeAndGo: 0.1,
  reverse: 0.06,
  wild: 0.09,
  reckless: 0.06,
} as const;

/** A way of driving. */
export type DriverStyle = keyof typeof DRIVER_STYLES;

/** A driver: from what is to what to do. */
export type Driver = (world: DriveWorld, state: DriveState, step: number) => DriverCommand;

/**
 * Chooses a way of driving by its share.
 *
 * @param uniform Source of numbers.
 * @returns A style.
 */
export function pickStyle(uniform: Uniform): DriverStyle {
  let rest = uniform() * Object.values(DRIVER_STYLES).reduce((sum, share) => sum + share, 0);
  for (const [style, share] of Object.entries(DRIVER_STYLES)) {
    rest -= share;
    if (rest < 0) return style as DriverStyle;
  }
  return "cruise";
}

/**
 * Makes a driver of a style with noise of its own.
 *
 * @param style The way of driving.
 * @param uniform Source of numbers.
 * @returns The driver.
 */
export function createDriver(style: DriverStyle, uniform: Uniform): Driver {
  const goalSpeed = 6 + 16 * uniform() * uniform() + 4 * uniform();
  const period = 30 + 50 * uniform();
  const phase = 6.28 * uniform();
  const side = uniform() < 0.5 ? -1 : 1;
  const turnStep = Math.floor(10 + 30 * uniform());
  let drift = 0;
  let hold = 0;
  let held: DriverCommand = NEUTRAL_DRIVER_COMMAND;
  return (world, state, step) => {
    drift = 0.9 * drift + 0.1 * (uniform() - 0.5);
    const wobble = 1.2 * drift;
    const lane = -LANE_CENTRE_METRES + 2 * drift;
    switch (style) {
      case "cruise":
        return follow(world, state, lane, goalSpeed, wobble * 0.4, true);
      case "slalom":
        return follow(world, state, 2.6 * Math.sin((6.28 * step) / period + phase), goalSpeed, wobble, true);
      case "oncomingLane":
        return follow(world, state, LANE_CENTRE_METRES + drift, goalSpeed, wobble, true);
      case "offRoad":
        return follow(
          world,
          state,
          side * (step > turnStep ? 5.5 + 3 * Math.sin(step / 25 + phase) : 2),
          goalSpeed,
          wobble,
          false,
        );
      case "standing":
        return step < turnStep + 20
          ? { ...NEUTRAL_DRIVER_COMMAND, stop: true }
          : follow(world, state, lane, goalSpeed, wobble, true);
      case "brakeAndGo": {
        const braking = Math.sin((6.28 * step) / period + phase) > 0.2;
        const command = follow(world, state, lane, goalSpeed + 4, wobble, true);
        return braking ? { ...command, throttle: 0, brake: 0.3 + 0.7 * Math.abs(Math.sin(phase)) } : command;
      }
      case "reverse": {
        if (step < turnStep) return follow(world, state, lane, goalSpeed * 0.4, wobble, true);
        return {
          throttle: 0.7,
          brake: 0,
          steer: Math.max(-1, Math.min(1, wobble + side * 0.25)),
          reverse: true,
          stop: false,
        };
      }
      case "wild": {
        if (hold-- <= 0) {
          hold = 6 + Math.floor(24 * uniform());
          const pedal = uniform();
          held = {
            throttle: pedal < 0.6 ? 0.3 + 0.7 * uniform() : 0,
            brake: pedal > 0.82 ? uniform() : 0,
            steer: 2 * uniform() - 1,
            reverse: false,
            stop: false,
          };
        }
        return held;
      }
      case "reckless":
        return follow(world, state, step > turnStep ? side * 9 : lane, 18, wobble, false);
    }
  };
}

/**
 * Steers towards a line beside the centre line and keeps a speed.
 *
 * @param world The world.
 * @param state The drive.
 * @param lateral Offset to keep, in metres to the left of the centre line.
 * @param speed Speed to keep, in m/s; less in bends.
 * @param wobble Added to the steering.
 * @param careful Whether to brake for cars ahead.
 * @returns The command.
 */
export function follow(
  world: DriveWorld,
  state: DriveState,
  lateral: number,
  speed: number,
  wobble: number,
  careful: boolean,
): DriverCommand {
  const { ego } = state;
  const station = stationAt(world.surface, ego.xMetres, ego.yMetres) ?? nearestStation(world, ego.xMetres, ego.yMetres);
  const forward = Math.max(5, 0.55 * Math.abs(ego.speedMetresPerSecond) + 3);
  const goal = trackPointAt(world.track, station + forward, lateral);
  const dx = goal.xMetres - ego.xMetres;
  const dy = goal.yMetres - ego.yMetres;
  let turn = Math.atan2(dy, dx) - ego.headingRadians;
  turn -= 2 * Math.PI * Math.round(turn / (2 * Math.PI));
  const wheel = Math.atan((2 * 2.7 * Math.sin(turn)) / Math.max(3, Math.hypot(dx, dy)));
  const steer = Math.max(-1, Math.min(1, wheel / steerLimitRadians(ego.speedMetresPerSecond, "road") + wobble));
  const bend = Math.abs(trackPointAt(world.track, station + 1.2 * ego.speedMetresPerSecond + 4).curvature);
  let wanted = Math.min(speed, Math.sqrt(5 / Math.max(bend, 0.004)));
  if (careful) wanted = Math.min(wanted, clearSpeed(world, state, station));
  const error = wanted - ego.speedMetresPerSecond;
  return {
    throttle: error > 0 ? Math.min(1, 0.12 + error * 0.35) : 0,
    brake: error < -0.8 ? Math.min(1, -error * 0.3) : 0,
    steer,
    reverse: false,
    stop: false,
  };
}

function clearSpeed(world: DriveWorld, state: DriveState, station: number): number {
  const own = lateralAt(world.surface, state.ego.xMetres, state.ego.yMetres);
  let speed = 99;
  for (const car of state.traffic) {
    if (Math.abs(own + car.direction * LANE_CENTRE_METRES) > 2) continue;
    const length = world.track.lengthMetres;
    const gap = (((car.stationMetres - station) % length) + length) % length;
    if (gap > 45) continue;
    speed = Math.min(
      speed,
      Math.max(0, (gap - 8) * 0.55 + (car.direction === 1 ? car.speedMetresPerSecond * 0.5 : -3)),
    );
  }
  return speed;
}

function nearestStation(world: DriveWorld, x: number, y: number): number {
  let best = Infinity;
  let station = 0;
  for (let index = 0; index < world.track.x.length; index += 4) {
    const squared = (world.track.x[index] - x) ** 2 + (world.track.y[index] - y) ** 2;
    if (squared >= best) continue;
    best = squared;
    station = index * world.track.spacingMetres;
  }
  return station;
}
