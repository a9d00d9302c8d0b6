import { exactAtan2, exactCos, exactSin, type DriverCommand } from "@dreamloop/core";
import type { SurfaceKind } from "./surface.ts";

/** Pose and motion of the car that is driven. Plain numbers only, so that it can be stored and sent. */
export interface VehicleState {
  /** x of the middle of the car, in metres. */
  readonly xMetres: number;
  /** y of the middle of the car, in metres. */
  readonly yMetres: number;
  /** Heading, counter-clockwise from the x axis, in radians, kept within ±π. */
  readonly headingRadians: number;
  /** Speed along the heading, negative in reverse, in m/s. */
  readonly speedMetresPerSecond: number;
  /** Angle of the front wheels, positive to the left, in radians. */
  readonly steerAngleRadians: number;
  /** Rate of turn in the last step, positive to the left, in rad/s. */
  readonly yawRateRadiansPerSecond: number;
  /** Acceleration along the heading in the last step, in m/s². */
  readonly accelerationMetresPerSecondSquared: number;
}

/** Distance between the axles, in metres. */
export const WHEELBASE_METRES = 2.7;

/** Largest angle of the front wheels, in radians. */
export const MAXIMUM_STEER_ANGLE_RADIANS = 0.55;

/** Fastest turn of the front wheels, in rad/s. */
export const STEER_RATE_RADIANS_PER_SECOND = 1.1;

/** Highest speed forward, in m/s. */
export const MAXIMUM_SPEED_METRES_PER_SECOND = 26;

/** Highest speed in reverse, in m/s. */
export const MAXIMUM_REVERSE_SPEED_METRES_PER_SECOND = 6;

/** How a surface holds and slows a car. */
interface SurfaceGrip {
  readonly lateralAcceleration: number;
  readonly engineAcceleration: number;
  readonly brakeDeceleration: number;
  readonly rollingDeceleration: number;
  readonly dragPerMetre: number;
}

const ENGINE_WATTS_PER_KILOGRAM = 70;
const PI = 3.141592653589793;

const GRIP: Readonly<Record<SurfaceKind, SurfaceGrip>> = {
  road: {
    lateralAcceleration: 7.5,
    engineAcceleration: 4.5,
    brakeDeceleration: 8.5,
    rollingDeceleration: 0.3,
    dragPerMetre: 0.0038,
  },
  shoulder: {
    lateralAcceleration: 5.5,
    engineAcceleration: 4,
    brakeDeceleration: 7,
    rollingDeceleration: 0.9,
    dragPerMetre: 0.009,
  },
  grass: {
    lateralAcceleration: 4,
    engineAcceleration: 3.2,
    brakeDeceleration: 5.5,
    rollingDeceleration: 1.5,
    dragPerMetre: 0.021,
  },
};

/**
 * Advances the car by one step of a bicycle model: steering angle limited in rate and by the grip of the tyres, engine
 * limited in force and power, drag, rolling resistance and brakes by surface.
 *
 * @param vehicle State before the step.
 * @param command What the driver does.
 * @param surface What the car stands on.
 * @param dtSeconds Length of the step, in seconds.
 * @returns State after the step.
 */
export function advanceVehicle(
  vehicle: VehicleState,
  command: DriverCommand,
  surface: SurfaceKind,
  dtSeconds: number,
): VehicleState {
  const grip = GRIP[surface];
  const before = vehicle.speedMetresPerSecond;
  const speed = nextSpeed(before, command, grip, dtSeconds);
  const mean = (before + speed) / 2;
  const limit = steerLimitRadians(speed, surface);
  const wanted = clamp(command.steer, -1, 1) * limit;
  const turn = STEER_RATE_RADIANS_PER_SECOND * dtSeconds;
  const steered = vehicle.steerAngleRadians + clamp(wanted - vehicle.steerAngleRadians, -turn, turn);
  const steerAngleRadians = clamp(steered, -limit, limit);
  const yawRate = (mean * exactSin(steerAngleRadians)) / (exactCos(steerAngleRadians) * WHEELBASE_METRES);
  const middle = vehicle.headingRadians + (yawRate * dtSeconds) / 2;
  return {
    xMetres: vehicle.xMetres + mean * exactCos(middle) * dtSeconds,
    yMetres: vehicle.yMetres + mean * exactSin(middle) * dtSeconds,
    headingRadians: wrapAngle(vehicle.headingRadians + yawRate * dtSeconds),
    speedMetresPerSecond: speed,
    steerAngleRadians,
    yawRateRadiansPerSecond: yawRate,
    accelerationMetresPerSecondSquared: (speed - before) / dtSeconds,
  };
}

/**
 * The largest angle of the front wheels that the tyres can use.
 *
 * @param speedMetresPerSecond Speed, of either sign.
 * @param surface What the car stands on.
 * @returns The angle, in radians.
 */
export function steerLimitRadians(speedMetresPerSecond: number, surface: SurfaceKind): number {
  const speed = Math.abs(speedMetresPerSecond);
  if (speed < 1) return MAXIMUM_STEER_ANGLE_RADIANS;
  const held = exactAtan2(GRIP[surface].lateralAcceleration * WHEELBASE_METRES, speed * speed);
  return Math.min(MAXIMUM_STEER_ANGLE_RADIANS, held);
}

/**
 * Brings an angle into (−π, π].
 *
 * @param angleRadians Any angle.
 * @returns The same direction within one turn.
 */
export function wrapAngle(angleRadians: number): number {
  let angle = angleRadians;
  while (angle > PI) angle -= 2 * PI;
  while (angle <= -PI) angle += 2 * PI;
  return angle;
}

function nextSpeed(before: number, command: DriverCommand, grip: SurfaceGrip, dtSeconds: number): number {
  const throttle = command.stop ? 0 : clamp(command.throttle, 0, 1);
  const direction = command.reverse ? -1 : 1;
  const against = before * direction < -0.3;
  const pedal = command.stop ? 1 : clamp(command.brake, 0, 1);
  const brake = Math.max(pedal, against ? throttle : 0);
  let drive = 0;
  if (!against && throttle > 0) {
    const power = ENGINE_WATTS_PER_KILOGRAM / Math.max(1, Math.abs(before));
    drive = direction * throttle * Math.min(grip.engineAcceleration, power) * (command.reverse ? 0.6 : 1);
  }
  const driven = before + drive * dtSeconds;
  const resistance = grip.rollingDeceleration + grip.dragPerMetre * before * before + brake * grip.brakeDeceleration;
  const slowed =
    driven > 0 ? Math.max(0, driven - resistance * dtSeconds) : Math.min(0, driven + resistance * dtSeconds);
  return clamp(slowed, -MAXIMUM_REVERSE_SPEED_METRES_PER_SECOND, MAXIMUM_SPEED_METRES_PER_SECOND);
}

function clamp(value: number, low: number, high: number): number {
  return value < low ? low : value > high ? high : value;
}
