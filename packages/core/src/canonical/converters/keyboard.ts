import {
  CONTROL_DEVICES,
  deviceConverter,
  type DeviceConverter,
  type DeviceConverterInput,
} from "../device-converter.ts";
import { ACTIONS, CAMERA_MOTION, DRIVER_COMMAND } from "../modalities.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import { actionHints, actionsOf, DEFAULT_ACTION_BINDINGS } from "./named-actions.ts";
import { controlHints, readBindings, readNamedBindings, type BindingOptions, type Bindings } from "./bindings.ts";
import { CAMERA_HINTS, cameraMotionOf, type CameraAction } from "./camera-actions.ts";
import { DRIVER_HINTS, driverCommandOf, type DriverAction } from "./driver-actions.ts";
import { foldHeldCodes, heldCode, isActive, NOTHING_HELD, type HeldCodeList, type HeldWindow } from "./held-window.ts";

/** Priority of keyboards: every other active device beats them. */
export const KEYBOARD_PRIORITY = 10;

/** Keys for driving, by physical code. */
export const KEYBOARD_DRIVER_BINDINGS: Bindings<DriverAction> = Object.freeze({
  throttle: ["KeyW", "ArrowUp"],
  brake: ["KeyS", "ArrowDown"],
  left: ["KeyA", "ArrowLeft"],
  right: ["KeyD", "ArrowRight"],
  stop: ["Space"],
  reverse: ["KeyR"],
});

/** Keys for moving a camera, by physical code. */
export const KEYBOARD_CAMERA_BINDINGS: Bindings<CameraAction> = Object.freeze({
  forward: ["KeyW"],
  backward: ["KeyS"],
  left: ["KeyA"],
  right: ["KeyD"],
  up: ["KeyE", "Space"],
  down: ["KeyQ", "ShiftLeft"],
  turnLeft: ["ArrowLeft", "KeyJ"],
  turnRight: ["ArrowRight", "KeyL"],
  lookUp: ["ArrowUp", "KeyI"],
  lookDown: ["ArrowDown", "KeyK"],
  rollLeft: ["KeyZ"],
  rollRight: ["KeyC"],
});

/**
 * Makes the converter of keys to `driver_command`. Keys are fully on or off; left and right cancel each other. The reverse key drives
 * backwards by itself, since a keyboard has no gear lever: it also gives full throttle. Throws `unknown_key` for an unknown action.
 */
export function keyboardToDriverCommand(options: BindingOptions<DriverAction> = {}): DeviceConverter<HeldCodeList> {
  const bindings = readBindings(options, "KeyboardDriverOptions", KEYBOARD_DRIVER_BINDINGS, heldCode);
  return keyboardConverter({
    name: options.name ?? "keyboard_driver_command",
    priority: options.priority,
    produces: DRIVER_COMMAND,
    controls: controlHints(DRIVER_HINTS, bindings, CONTROL_DEVICES.keyboard),
    bindings,
    valueOf: (window) =>
      driverCommandOf((action) => {
        const isOn = isActive(window, bindings[action]);
        return isOn || (action === "throttle" && isActive(window, bindings.reverse)) ? 1 : 0;
      }),
  });
}

/** Makes the converter of keys to `camera_motion`; opposite keys cancel each other. Throws `unknown_key` for an unknown action. */
export function keyboardToCameraMotion(options: BindingOptions<CameraAction> = {}): DeviceConverter<HeldCodeList> {
  const bindings = readBindings(options, "KeyboardCameraOptions", KEYBOARD_CAMERA_BINDINGS, heldCode);
  return keyboardConverter({
    name: options.name ?? "keyboard_camera_motion",
    priority: options.priority,
    produces: CAMERA_MOTION,
    controls: controlHints(CAMERA_HINTS, bindings, CONTROL_DEVICES.keyboard),
    bindings,
    valueOf: (window) => cameraMotionOf((action) => (isActive(window, bindings[action]) ? 1 : 0)),
  });
}

/**
 * Makes the converter of keys and mouse buttons (`MouseLeft`, or `Mouse0` by its number) to `actions`. Given bindings replace the default ones, their
 * names are the names of the actions.
 */
export function keyboardToActions(options: BindingOptions<string> = {}): DeviceConverter<HeldCodeList> {
  const bindings = readNamedBindings(options, "KeyboardActionOptions", DEFAULT_ACTION_BINDINGS, heldCode);
  return keyboardConverter({
    name: options.name ?? "keyboard_actions",
    priority: options.priority,
    produces: ACTIONS,
    controls: actionHints(bindings, CONTROL_DEVICES.keyboard),
    bindings,
    valueOf: (window) =>
      actionsOf(bindings, {
        isHeld: (code) => window.held.includes(code),
        presses: (code) => window.presses?.get(code) ?? 0,
      }),
  });
}

interface KeyboardConverterInput extends Pick<
  DeviceConverterInput<HeldCodeList>,
  "name" | "priority" | "produces" | "controls"
> {
  readonly bindings: Bindings<string>;
  valueOf(window: HeldWindow): object;
}

function keyboardConverter(input: KeyboardConverterInput): DeviceConverter<HeldCodeList> {
  const tracked = new Set(Object.values(input.bindings).flat());
  const valueAtRest = input.valueOf({ held: NOTHING_HELD, presses: undefined }) as Mapping;
  return deviceConverter<HeldCodeList>({
    name: input.name,
    priority: input.priority ?? KEYBOARD_PRIORITY,
    consumes: ["key_down", "key_up"],
    produces: input.produces,
    controls: input.controls,
    createState: () => NOTHING_HELD,
    convert(inputs, _window, state) {
      const window = foldHeldCodes(inputs, tracked, state);
      if (window.held.length === 0 && window.presses === undefined) return { value: valueAtRest, state: window.held };
      return { value: input.valueOf(window) as Mapping, state: window.held };
    },
  });
}
