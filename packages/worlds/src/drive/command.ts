/** What the driver does right now; the fields of the canonical modality `driver_command`. */
export interface DriverCommand {
  /** Accelerator, 0 (released) to 1 (floored). */
  readonly throttle: number;
  /** Foot brake, 0 (released) to 1 (full). */
  readonly brake: number;
  /** Steering demand, −1 (full right) to 1 (full left), as a share of the angle the tyres can use at the present speed. */
  readonly steer: number;
  /** Whether the reverse gear is in. */
  readonly reverse: boolean;
  /** Whether to stop at once, whatever the other fields say. */
  readonly stop: boolean;
}

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
