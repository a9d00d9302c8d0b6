import type { Mapping } from "../../foundation/validate/reader.ts";
import { deviceConverter, type DeviceConverter } from "../device-converter.ts";
import type { CanonicalModality } from "../canonical-inputs.ts";
import { CAMERA_MOTION, DRIVER_COMMAND, type CameraMotion, type DriverCommand } from "../modalities.ts";
import { checkOptions } from "./bindings.ts";
import { isNeutralMotion } from "./camera-actions.ts";
import { isNeutralCommand, ON_LEVEL } from "./driver-actions.ts";
import { payloadFlag, payloadSignedUnit, payloadText } from "./payload.ts";

/** Priority of named axes: a script or a program that holds one beats every device. */
export const AXES_PRIORITY = 40;

/** Values of the axes that are not at 0, by name. */
export type AxisValues = Readonly<Record<string, number>>;

/** How a converter of named axes may be changed. */
export interface AxesOptions {
  /** Its name within a canonicaliser; the default says device and modality. */
  readonly name?: string;
  /** Higher wins among converters of the same modality; default `AXES_PRIORITY`. */
  readonly priority?: number;
}

/**
 * Makes the converter of `axis_set` to `driver_command`: axes `steer` (left positive), `throttle`, `brake` (below 0 counts as 0),
 * `reverse` and `stop` (on from 0.5). A value is held until the next; with all at 0 it is idle.
 */
export function axesToDriverCommand(options: AxesOptions = {}): DeviceConverter<AxisValues> {
  return axesConverter<DriverCommand>({
    options,
    defaultName: "axes_driver_command",
    produces: DRIVER_COMMAND,
    axes: ["throttle", "brake", "steer", "reverse", "stop"],
    valueOf: (axis) => ({
      throttle: Math.max(0, axis("throttle")),
      brake: Math.max(0, axis("brake")),
      steer: axis("steer"),
      reverse: axis("reverse") >= ON_LEVEL,
      stop: axis("stop") >= ON_LEVEL,
    }),
    isNeutral: isNeutralCommand,
  });
}

/** Makes the converter of `axis_set` to `camera_motion`: one axis for each field, held until the next; with all at 0 it is idle. */
export function axesToCameraMotion(options: AxesOptions = {}): DeviceConverter<AxisValues> {
  return axesConverter<CameraMotion>({
    options,
    defaultName: "axes_camera_motion",
    produces: CAMERA_MOTION,
    axes: ["moveForward", "moveRight", "moveUp", "turnYaw", "turnPitch", "turnRoll"],
    valueOf: (axis) => ({
      moveForward: axis("moveForward"),
      moveRight: axis("moveRight"),
      moveUp: axis("moveUp"),
      turnYaw: axis("turnYaw"),
      turnPitch: axis("turnPitch"),
      turnRoll: axis("turnRoll"),
    }),
    isNeutral: isNeutralMotion,
  });
}

interface AxesConverterInput<Value extends object> {
  readonly options: AxesOptions;
  readonly defaultName: string;
  readonly produces: CanonicalModality;
  readonly axes: readonly (keyof Value & string)[];
  valueOf(axis: (name: keyof Value & string) => number): Value;
  isNeutral(value: Value): boolean;
}

function axesConverter<Value extends object>(input: AxesConverterInput<Value>): DeviceConverter<AxisValues> {
  const { options, axes } = input;
  checkOptions(options, "AxesOptions", ["name", "priority"]);
  return deviceConverter<AxisValues>({
    name: options.name ?? input.defaultName,
    priority: options.priority ?? AXES_PRIORITY,
    consumes: ["axis_set"],
    produces: input.produces,
    createState: () => ALL_AT_REST,
    convert(inputs, _window, state) {
      let now = state;
      for (const event of inputs.events) {
        if (event.eventType === "focus" && !payloadFlag(event, "focused")) now = ALL_AT_REST;
        if (event.eventType !== "axis_set") continue;
        const name = payloadText(event, "name");
        if (axes.includes(name as keyof Value & string)) now = withAxis(now, name, payloadSignedUnit(event, "value"));
      }
      const value = input.valueOf((name) => now[name] ?? 0);
      return { value: input.isNeutral(value) ? undefined : (value as Mapping), state: now };
    },
  });
}

const ALL_AT_REST: AxisValues = Object.freeze({});

function withAxis(values: AxisValues, name: string, value: number): AxisValues {
  const { [name]: _before, ...others } = values;
  return Object.freeze(value === 0 ? others : { ...others, [name]: value });
}
