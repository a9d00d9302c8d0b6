import { listOf, text } from "../foundation/validate/reader.ts";
import { modality, type ModalityOf } from "./modality.ts";

/** What a driver does right now: a value of the modality `driver_command`. */
export interface DriverCommand {
  /** Accelerator, 0 (released) to 1 (floored). */
  readonly throttle: number;
  /** Foot brake, 0 (released) to 1 (full). */
  readonly brake: number;
  /** Steering, -1 (full right) to 1 (full left). */
  readonly steer: number;
  /** Whether the reverse gear is in. */
  readonly reverse: boolean;
  /** Whether to stop at once, whatever the other fields say. */
  readonly stop: boolean;
}

/**
 * How a camera moves right now: a value of the modality `camera_motion`. Six held axes, each -1 to 1. Turns are positive by the
 * right-hand rule about the axes right, up and forward.
 */
export interface CameraMotion {
  /** Along the view, forwards positive. */
  readonly moveForward: number;
  /** Sideways, to the right positive. */
  readonly moveRight: number;
  /** Along the camera's own vertical, up positive. */
  readonly moveUp: number;
  /** About the vertical, to the left positive. */
  readonly turnYaw: number;
  /** About the axis to the right, looking up positive. */
  readonly turnPitch: number;
  /** About the view axis, the right side going down positive. */
  readonly turnRoll: number;
}

/** How far a pointer moved since the step before: a value of the modality `look_delta`, consumed by one step. */
export interface LookDelta {
  /** Sum of the movements to the right, in the units of `mouse_move`. */
  readonly deltaX: number;
  /** Sum of the movements downwards, in the units of `mouse_move`. */
  readonly deltaY: number;
  /** Sum of the wheel's vertical movements, in the units of `mouse_wheel`. */
  readonly wheel: number;
}

/** Which named actions are on right now: a value of the modality `actions`. */
export interface Actions {
  /** Actions that are held at the end of the window or were pressed within it, each once, in the order of the bindings. */
  readonly held: readonly string[];
  /** How often each action was pressed within the window; actions that were not are absent. */
  readonly pressed: Readonly<Record<string, number>>;
}

/** A named text event (a door opens, a character speaks) with its state. */
export interface TextEvent {
  /** Which event. */
  readonly id: string;
  /** Its state, such as `start` or `end`. */
  readonly state: string;
}

/** New initial values that arrived while the world runs: a value of the modality `conditioning`, present in one window only. */
export interface Conditioning {
  /** The newest prompt of the window. */
  readonly prompt?: string;
  /** The newest negative prompt of the window. */
  readonly negativePrompt?: string;
  /** The newest image of the window, carried by reference. */
  readonly image?: unknown;
  /** The newest text event of the window. */
  readonly textEvent?: TextEvent;
  /** All text events of the window in order. */
  readonly textEvents?: readonly TextEvent[];
}

/** Driving: throttle and brake 0 to 1, steer -1 to 1 (left positive), reverse, stop. Neutral is a coasting car. */
export const DRIVER_COMMAND: ModalityOf<DriverCommand> = modality<DriverCommand>({
  name: "driver_command",
  combine: "fields",
  neutral: { throttle: 0, brake: 0, steer: 0, reverse: false, stop: false },
  ranges: { throttle: [0, 1], brake: [0, 1], steer: [-1, 1] },
});

/** Six held camera axes, -1 to 1. Neutral is a camera at rest. */
export const CAMERA_MOTION: ModalityOf<CameraMotion> = modality<CameraMotion>({
  name: "camera_motion",
  combine: "fields",
  neutral: { moveForward: 0, moveRight: 0, moveUp: 0, turnYaw: 0, turnPitch: 0, turnRoll: 0 },
  ranges: {
    moveForward: [-1, 1],
    moveRight: [-1, 1],
    moveUp: [-1, 1],
    turnYaw: [-1, 1],
    turnPitch: [-1, 1],
    turnRoll: [-1, 1],
  },
});

/** Pointer and wheel movement, summed and consumed by one step. Neutral is no movement. */
export const LOOK_DELTA: ModalityOf<LookDelta> = modality<LookDelta>({
  name: "look_delta",
  neutral: { deltaX: 0, deltaY: 0, wheel: 0 },
});

/** Named held buttons. Neutral is none. */
export const ACTIONS: ModalityOf<Actions> = modality<Actions>({
  name: "actions",
  combine: "union",
  neutral: { held: Object.freeze([]), pressed: Object.freeze({}) },
});

const readNames = listOf(text({ maxLength: 128 }), { max: 4096 });

/**
 * The modality `actions` for a mapping that looks at these names only, which legends and touch screens then show in place of all names that
 * the shared bindings have. The values are those of `ACTIONS`. Refuses blank names.
 */
export function actionsNamed(names: readonly string[]): ModalityOf<Actions> {
  const { name, metadata } = ACTIONS;
  const uses = Object.freeze([...readNames(names, "actionsNamed(names)")]);
  return modality<Actions>({ name, neutral: metadata.neutral as Actions, metadata: { uses } });
}

/** New prompts, images and text events, present only in the window in which they arrived. */
export const CONDITIONING: ModalityOf<Conditioning> = modality<Conditioning>({ name: "conditioning" });

/** The shipped modalities by name. */
export const MODALITIES = Object.freeze({
  /** See `DRIVER_COMMAND`. */
  driver_command: DRIVER_COMMAND,
  /** See `CAMERA_MOTION`. */
  camera_motion: CAMERA_MOTION,
  /** See `LOOK_DELTA`. */
  look_delta: LOOK_DELTA,
  /** See `ACTIONS`. */
  actions: ACTIONS,
  /** See `CONDITIONING`. */
  conditioning: CONDITIONING,
});

/** The name of a shipped modality. */
export type ModalityName = keyof typeof MODALITIES;
