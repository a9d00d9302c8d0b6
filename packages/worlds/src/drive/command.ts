import type { DriverCommand } from "@dreamloop/core";

/**
 * The neutral action in physical units: no engine force (0 m/s² beyond drag), no brake force, front wheels straight (0 rad),
 * forward gear. A moving car coasts, a standing car stands.
 */
export const NEUTRAL_DRIVER_COMMAND: DriverCommand = Object.freeze({
  throttle: 0,
  brake: 0,
  steer: 0,
  reverse: false,
  stop: false,
});
