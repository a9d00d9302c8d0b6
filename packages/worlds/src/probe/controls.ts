import {
  ACTIONS,
  CAMERA_MOTION,
  DRIVER_COMMAND,
  LOOK_DELTA,
  neutralValue,
  type Actions,
  type CameraMotion,
  type DriverCommand,
  type LookDelta,
  type Mapping,
} from "@dreamloop/core";
import {
  finite,
  flag,
  listOf,
  mappingOf,
  optional,
  refuse,
  shape,
  text,
  withDefault,
  type Reader,
} from "@dreamloop/core/internal";

/** What one step of the probe world is told, with the neutral value for everything that was not given. */
export interface ProbeControls {
  /** The driver command, neutral when none was given. */
  readonly command: DriverCommand;
  /** Whether a driver command was given. */
  readonly hasCommand: boolean;
  /** The six camera axes. */
  readonly motion: CameraMotion;
  /** Mouse and wheel motion of this step. */
  readonly look: LookDelta;
  /** Held and pressed actions. */
  readonly actions: Actions;
  /** Number of the newest client message whose state is included. */
  readonly inputSequence: number | undefined;
}

/** The inputs that mean "do nothing". In physical units: no acceleration (0 m/s²), no turn (0 rad/s), no motion (0 m/s, 0 px). */
export const PROBE_NEUTRAL = Object.freeze({
  /** The wheels roll freely and straight: 0 m/s² beside the drag, 0 rad/s. */
  driverCommand: neutralValue(DRIVER_COMMAND) as Mapping & DriverCommand,
  /** All six axes at rest: 0 m/s, 0 rad/s. */
  cameraMotion: neutralValue(CAMERA_MOTION) as Mapping & CameraMotion,
  /** The pointer stands still: 0 px. */
  lookDelta: neutralValue(LOOK_DELTA) as Mapping & LookDelta,
  /** Nothing is held, nothing was pressed. */
  actions: neutralValue(ACTIONS) as Mapping & Actions,
});

const unit = withDefault(finite({ min: 0, max: 1 }), 0);
const axis = withDefault(finite({ min: -1, max: 1 }), 0);
const off = withDefault(flag, false);
const zero = withDefault(finite(), 0);
const name = text({ maxLength: 128 });

/** Readers of the step fields by their names; each takes a partial value and fills in what is neutral. */
export const STEP_FIELD_READERS = {
  /** The driver command. */
  driverCommand: shape<DriverCommand>({ throttle: unit, brake: unit, steer: axis, reverse: off, stop: off }),
  /** The six camera axes. */
  cameraMotion: shape<CameraMotion>({
    moveForward: axis,
    moveRight: axis,
    moveUp: axis,
    turnYaw: axis,
    turnPitch: axis,
    turnRoll: axis,
  }),
  /** Mouse and wheel motion. */
  lookDelta: shape<LookDelta>({ deltaX: zero, deltaY: zero, wheel: zero }),
  /** Held and pressed actions. */
  actions: shape<Actions>({
    held: withDefault(listOf(name, { max: 256 }), Object.freeze([])),
    pressed: withDefault(mappingOf(finite({ integer: true, min: 0 })), Object.freeze({})),
  }),
  /** Number of the newest client message. */
  inputSequence: optional(finite({ integer: true, min: 0 })),
} as const;

function given<T>(step: Mapping, field: keyof typeof STEP_FIELD_READERS, read: Reader<T>, neutral: T): T {
  const value = step[field];
  return value === undefined || value === neutral ? neutral : read(value, `ModelInputs.step.${field}`);
}

/** Reads the step slot; refuses unknown fields, wrong types and values out of range by name. */
export function readControls(step: Mapping): ProbeControls {
  for (const field of Object.keys(step)) {
    if (!(field in STEP_FIELD_READERS)) {
      refuse(`ModelInputs.step.${field}`, `one of ${Object.keys(STEP_FIELD_READERS).join(", ")}`, step[field]);
    }
  }
  return {
    command: given(step, "driverCommand", STEP_FIELD_READERS.driverCommand, PROBE_NEUTRAL.driverCommand),
    hasCommand: step.driverCommand !== undefined,
    motion: given(step, "cameraMotion", STEP_FIELD_READERS.cameraMotion, PROBE_NEUTRAL.cameraMotion),
    look: given(step, "lookDelta", STEP_FIELD_READERS.lookDelta, PROBE_NEUTRAL.lookDelta),
    actions: given(step, "actions", STEP_FIELD_READERS.actions, PROBE_NEUTRAL.actions),
    inputSequence: STEP_FIELD_READERS.inputSequence(step.inputSequence, "ModelInputs.step.inputSequence"),
  };
}

/** Reads a prompt; refuses anything but a string of at most 10,000 characters. An empty one counts as none. */
export function readPrompt(value: unknown, path: string): string | undefined {
  if (value === undefined) return undefined;
  const prompt = text({ maxLength: 10_000, allowBlank: true })(value, path);
  return prompt.trim() === "" ? undefined : prompt;
}
