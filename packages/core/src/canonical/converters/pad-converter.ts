import type { TimeWindow } from "../../foundation/time/time-window.ts";
import { finite, refuse, withDefault, type Mapping } from "../../foundation/validate/reader.ts";
import { deviceConverter, type DeviceConverter, type DeviceConverterInput } from "../device-converter.ts";
import type { BindingOptions } from "./bindings.ts";
import { foldPads, NO_PADS, type PadReadings, type PadWindow } from "./pad-readings.ts";

/** Values of a stick, trigger or pedal up to this size count as 0. */
export const DEFAULT_DEAD_ZONE = 0.05;

/** How a gamepad or steering-wheel converter may be changed. */
export interface PadOptions<Action extends string> extends BindingOptions<Action> {
  /** Values up to this size count as 0, others are unchanged; 0 to 0.9, default `DEFAULT_DEAD_ZONE`. */
  readonly deadZone?: number;
}

/** Takes the dead zone out of a pad's options; the rest are the options of any converter with bindings. */
export function splitPadOptions<Options extends PadOptions<never>>(
  options: Options,
  typeName: string,
): { readonly deadZone: number; readonly rest: Omit<Options, "deadZone"> } {
  if (typeof options !== "object" || options === null) refuse(typeName, "an object", options);
  const { deadZone, ...rest } = options;
  return {
    deadZone: withDefault(finite({ min: 0, max: 0.9 }), DEFAULT_DEAD_ZONE)(deadZone, `${typeName}.deadZone`),
    rest,
  };
}

/** What `padConverter` takes. */
export interface PadConverterInput extends Pick<
  DeviceConverterInput<PadReadings>,
  "name" | "priority" | "produces" | "controls"
> {
  /** `gamepad_state` or `wheel_state`. */
  readonly eventType: string;
  /** The value of one device, or nothing when it is idle. */
  valueOf(pad: PadWindow, window: TimeWindow): object | undefined;
}

/** Makes a converter of whole device states: the first device that is not idle counts; with none it is idle. */
export function padConverter(input: PadConverterInput): DeviceConverter<PadReadings> {
  return deviceConverter<PadReadings>({
    name: input.name,
    priority: input.priority,
    consumes: [input.eventType],
    produces: input.produces,
    controls: input.controls,
    createState: () => NO_PADS,
    convert(inputs, window, state) {
      if (state.length === 0 && inputs.events.length === 0) return { value: undefined, state };
      const { readings, pads } = foldPads(inputs, input.eventType, state);
      for (const pad of pads) {
        const value = input.valueOf(pad, window);
        if (value !== undefined) return { value: value as Mapping, state: readings };
      }
      return { value: undefined, state: readings };
    },
  });
}
