import { exactCos, exactSin } from "@dreamloop/core";
import type { DriveState } from "./state.ts";

/** Length of a motion vector. */
export const MOTION_LENGTH = 8;

/**
 * What the model is told about the motion of the driven car, besides the map frame: wheel angle ÷ 0.6 rad, accelerator,
 * brake, speed ÷ 25 m/s, rate of turn ÷ 1 rad/s, acceleration ÷ 8 m/s², sine and cosine of the heading.
 *
 * @param state The drive after a step.
 * @returns A new vector of `MOTION_LENGTH` numbers.
 */
export function motionVector(state: DriveState): Float32Array {
  const { ego } = state;
  return Float32Array.of(
    ego.steerAngleRadians / 0.6,
    state.throttle,
    state.brake,
    ego.speedMetresPerSecond / 25,
    ego.yawRateRadiansPerSecond,
    ego.accelerationMetresPerSecondSquared / 8,
    exactSin(ego.headingRadians),
    exactCos(ego.headingRadians),
  );
}
