import { CONTROL_DEVICES, type DeviceConverter } from "../device-converter.ts";
import { ACTIONS, CAMERA_MOTION, DRIVER_COMMAND, LOOK_DELTA } from "../modalities.ts";
import { finite, withDefault } from "../../foundation/validate/reader.ts";
import { controlHints, readBindings, readNamedBindings, type ActionHint, type Bindings } from "./bindings.ts";
import { CAMERA_HINTS, cameraMotionOf, isNeutralMotion, type CameraAction } from "./camera-actions.ts";
import { DRIVER_HINTS, driverCommandOf, isNeutralCommand, ON_LEVEL, type DriverAction } from "./driver-actions.ts";
import { actionHints, actionsOf } from "./named-actions.ts";
import { padConverter, splitPadOptions, type PadOptions } from "./pad-converter.ts";
import { padCode, padLevel, type PadReadings, type PadWindow } from "./pad-readings.ts";

/** Priority of gamepads: an active one beats the keyboard. */
export const GAMEPAD_PRIORITY = 20;
/** Priority of a gamepad's stick for looking around: below the mouse, so that none of its movement is lost. */
export const GAMEPAD_LOOK_PRIORITY = 10;
/** How fast a stick that is fully over looks around, in the units of `mouse_move` a second. */
export const DEFAULT_LOOK_PER_SECOND = 600;
/** The longest stretch of time that one window turns into stick movement, so that a stall does not spin the view. */
export const LONGEST_LOOK_SECONDS = 0.25;

/** Driving with the standard mapping: left stick, right trigger, left trigger, B to stop, X for the reverse gear. */
export const GAMEPAD_DRIVER_BINDINGS: Bindings<DriverAction> = Object.freeze({
  throttle: ["Button7"],
  brake: ["Button6"],
  left: ["Axis0-", "Button14"],
  right: ["Axis0+", "Button15"],
  stop: ["Button1"],
  reverse: ["Button2"],
});

/** Moving a camera with the standard mapping: left stick moves, right stick turns, triggers go up and down, bumpers roll. */
export const GAMEPAD_CAMERA_BINDINGS: Bindings<CameraAction> = Object.freeze({
  forward: ["Axis1-", "Button12"],
  backward: ["Axis1+", "Button13"],
  left: ["Axis0-", "Button14"],
  right: ["Axis0+", "Button15"],
  up: ["Button7"],
  down: ["Button6"],
  turnLeft: ["Axis2-"],
  turnRight: ["Axis2+"],
  lookUp: ["Axis3-"],
  lookDown: ["Axis3+"],
  rollLeft: ["Button4"],
  rollRight: ["Button5"],
});

/** What codes can be bound to for looking around. */
export type LookAction = "left" | "right" | "up" | "down";

/** Looking around with the right stick of the standard mapping. */
export const GAMEPAD_LOOK_BINDINGS: Bindings<LookAction> = Object.freeze({
  left: ["Axis2-"],
  right: ["Axis2+"],
  up: ["Axis3-"],
  down: ["Axis3+"],
});

/** Named actions with the standard mapping. */
export const GAMEPAD_ACTION_BINDINGS: Bindings<string> = Object.freeze({
  forward: ["Axis1-", "Button12"],
  back: ["Axis1+", "Button13"],
  left: ["Axis0-", "Button14"],
  right: ["Axis0+", "Button15"],
  jump: ["Button0"],
  crouch: ["Button1"],
  sprint: ["Button10"],
  use: ["Button2"],
  reload: ["Button3"],
  attack: ["Button7"],
  aim: ["Button6"],
});

const LOOK_HINTS: Readonly<Record<LookAction, ActionHint>> = Object.freeze({
  left: { label: "Look left", touch: "look" },
  right: { label: "Look right", touch: "look" },
  up: { label: "Look up", touch: "look" },
  down: { label: "Look down", touch: "look" },
});

/** The greatest level among the codes of an action. */
function levelOf(pad: PadWindow, codes: readonly string[], deadZone: number): number {
  let level = 0;
  for (const code of codes) level = Math.max(level, padLevel(pad, code, deadZone));
  return level;
}

/**
 * Makes the converter of gamepads to `driver_command`. `steer`, `throttle` and `brake` of the payload count before axes and buttons.
 * A pad inside the dead zone is idle, a disconnected one is gone. Throws `unknown_key` for an unknown action.
 */
export function gamepadToDriverCommand(options: PadOptions<DriverAction> = {}): DeviceConverter<PadReadings> {
  const { deadZone, rest } = splitPadOptions(options, "GamepadDriverOptions");
  const bindings = readBindings(rest, "GamepadDriverOptions", GAMEPAD_DRIVER_BINDINGS, padCode);
  const outside = (value: number): number => (Math.abs(value) > deadZone ? value : 0);
  return padConverter({
    name: rest.name ?? "gamepad_driver_command",
    priority: rest.priority ?? GAMEPAD_PRIORITY,
    eventType: "gamepad_state",
    produces: DRIVER_COMMAND,
    controls: controlHints(DRIVER_HINTS, bindings, CONTROL_DEVICES.gamepad),
    valueOf: (pad) => {
      const bound = driverCommandOf((action) => levelOf(pad, bindings[action], deadZone));
      const { steer, throttle, brake } = pad.reading;
      const command = {
        ...bound,
        steer: outside(steer ?? bound.steer),
        throttle: outside(throttle ?? bound.throttle),
        brake: outside(brake ?? bound.brake),
      };
      return isNeutralCommand(command) ? undefined : command;
    },
  });
}

/** Makes the converter of gamepads to `camera_motion`; a pad inside the dead zone is idle. Throws `unknown_key` for an unknown action. */
export function gamepadToCameraMotion(options: PadOptions<CameraAction> = {}): DeviceConverter<PadReadings> {
  const { deadZone, rest } = splitPadOptions(options, "GamepadCameraOptions");
  const bindings = readBindings(rest, "GamepadCameraOptions", GAMEPAD_CAMERA_BINDINGS, padCode);
  return padConverter({
    name: rest.name ?? "gamepad_camera_motion",
    priority: rest.priority ?? GAMEPAD_PRIORITY,
    eventType: "gamepad_state",
    produces: CAMERA_MOTION,
    controls: controlHints(CAMERA_HINTS, bindings, CONTROL_DEVICES.gamepad),
    valueOf: (pad) => {
      const motion = cameraMotionOf((action) => levelOf(pad, bindings[action], deadZone));
      return isNeutralMotion(motion) ? undefined : motion;
    },
  });
}

/** How the converter of a stick to `look_delta` may be changed. */
export interface GamepadLookOptions extends PadOptions<LookAction> {
  /** Speed with the stick fully over, in the units of `mouse_move` a second; default `DEFAULT_LOOK_PER_SECOND`. */
  readonly perSecond?: number;
}

/**
 * Makes the converter of a gamepad's stick to `look_delta`: speed times the length of the window, which counts up to
 * `LONGEST_LOOK_SECONDS`. A stick inside the dead zone is idle. Throws `unknown_key` for an unknown action.
 */
export function gamepadToLookDelta(options: GamepadLookOptions = {}): DeviceConverter<PadReadings> {
  const { deadZone, rest: given } = splitPadOptions(options, "GamepadLookOptions");
  const { perSecond, ...rest } = given;
  const bindings = readBindings(rest, "GamepadLookOptions", GAMEPAD_LOOK_BINDINGS, padCode);
  const speed = withDefault(finite({ min: 0, aboveMin: true, max: 1e6 }), DEFAULT_LOOK_PER_SECOND)(
    perSecond,
    "GamepadLookOptions.perSecond",
  );
  return padConverter({
    name: rest.name ?? "gamepad_look_delta",
    priority: rest.priority ?? GAMEPAD_LOOK_PRIORITY,
    eventType: "gamepad_state",
    produces: LOOK_DELTA,
    controls: controlHints(LOOK_HINTS, bindings, CONTROL_DEVICES.gamepad),
    valueOf: (pad, window) => {
      const distance = speed * Math.min(window.endSeconds - window.startSeconds, LONGEST_LOOK_SECONDS);
      const level = (action: LookAction): number => levelOf(pad, bindings[action], deadZone);
      const deltaX = distance * (level("right") - level("left"));
      const deltaY = distance * (level("down") - level("up"));
      return deltaX === 0 && deltaY === 0 ? undefined : { deltaX, deltaY, wheel: 0 };
    },
  });
}

/**
 * Makes the converter of gamepads to `actions`: on from half way; stick directions are held, never counted as presses. Given bindings
 * replace the default ones, their names are the names of the actions. A pad on which nothing is on is idle.
 */
export function gamepadToActions(options: PadOptions<string> = {}): DeviceConverter<PadReadings> {
  const { deadZone, rest } = splitPadOptions(options, "GamepadActionOptions");
  const bindings = readNamedBindings(rest, "GamepadActionOptions", GAMEPAD_ACTION_BINDINGS, padCode);
  return padConverter({
    name: rest.name ?? "gamepad_actions",
    priority: rest.priority ?? GAMEPAD_PRIORITY,
    eventType: "gamepad_state",
    produces: ACTIONS,
    controls: actionHints(bindings, CONTROL_DEVICES.gamepad),
    valueOf: (pad) => {
      const value = actionsOf(bindings, {
        isHeld: (code) => padLevel(pad, code, deadZone) >= ON_LEVEL,
        presses: (code) => (code.startsWith("Button") ? (pad.presses.get(Number(code.slice(6))) ?? 0) : 0),
      });
      return value.held.length === 0 ? undefined : value;
    },
  });
}
