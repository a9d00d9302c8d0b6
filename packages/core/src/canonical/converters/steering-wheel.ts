import { CONTROL_DEVICES, type DeviceConverter } from "../device-converter.ts";
import { DRIVER_COMMAND } from "../modalities.ts";
import { controlHints, readBindings, type Bindings } from "./bindings.ts";
import { DRIVER_HINTS, isNeutralCommand, ON_LEVEL } from "./driver-actions.ts";
import { padConverter, splitPadOptions, type PadOptions } from "./pad-converter.ts";
import { padCode, padLevel, type PadReadings, type PadWindow } from "./pad-readings.ts";

/** Priority of steering wheels: one that is in use beats gamepad and keyboard. */
export const WHEEL_PRIORITY = 30;

/** What buttons of a steering wheel can be bound to; steering and pedals are what they are. */
export type WheelAction = "stop" | "reverse";

/** Buttons of a steering wheel: the left paddle stops, the right one is the reverse gear while it is held. */
export const WHEEL_BINDINGS: Bindings<WheelAction> = Object.freeze({ stop: ["Button5"], reverse: ["Button4"] });

/**
 * Makes the converter of `wheel_state` to `driver_command`. A wheel has no play, so its values are unchanged; with everything inside
 * the dead zone it is idle, disconnected it is gone. Throws `unknown_key` for an unknown action.
 */
export function steeringWheelToDriverCommand(options: PadOptions<WheelAction> = {}): DeviceConverter<PadReadings> {
  const split = splitPadOptions(options, "SteeringWheelOptions");
  const { deadZone } = split;
  const bindings = readBindings(split.rest, "SteeringWheelOptions", WHEEL_BINDINGS, padCode);
  const isOn = (pad: PadWindow, action: WheelAction): boolean =>
    bindings[action].some((code) => padLevel(pad, code, deadZone) >= ON_LEVEL);
  return padConverter({
    name: split.rest.name ?? "steering_wheel_driver_command",
    priority: split.rest.priority ?? WHEEL_PRIORITY,
    eventType: "wheel_state",
    produces: DRIVER_COMMAND,
    controls: [
      { label: "Steer", device: CONTROL_DEVICES.wheel, bindings: ["Wheel"], touch: "none" },
      { label: "Accelerate", device: CONTROL_DEVICES.wheel, bindings: ["Throttle pedal"], touch: "none" },
      { label: "Brake", device: CONTROL_DEVICES.wheel, bindings: ["Brake pedal"], touch: "none" },
      ...controlHints({ stop: DRIVER_HINTS.stop, reverse: DRIVER_HINTS.reverse }, bindings, CONTROL_DEVICES.wheel),
    ],
    valueOf: (pad) => {
      const { steer = 0, throttle = 0, brake = 0 } = pad.reading;
      const command = { steer, throttle, brake, reverse: isOn(pad, "reverse"), stop: isOn(pad, "stop") };
      const outside = (value: number): number => (Math.abs(value) > deadZone ? value : 0);
      const noticed = { ...command, steer: outside(steer), throttle: outside(throttle), brake: outside(brake) };
      return isNeutralCommand(noticed) ? undefined : command;
    },
  });
}
