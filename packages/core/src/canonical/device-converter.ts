import type { UserInputCapability } from "../inputs/user-input-schema.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import {
  callable,
  finite,
  json,
  listOf,
  mapping,
  oneOf,
  refuse,
  text,
  withDefault,
  type Json,
  type Mapping,
} from "../foundation/validate/reader.ts";
import { made, recordFactory } from "../foundation/validate/record.ts";
import { userInputCapability, type UserInputCapabilityInput } from "../inputs/user-input-schema.ts";
import { canonicalModality, type CanonicalModality, type CanonicalModalityInput } from "./canonical-inputs.ts";

/** What a control is on. */
export const CONTROL_DEVICES = {
  /** Keys, and the buttons of the mouse that lies beside them. */
  keyboard: "keyboard",
  /** Movements of a mouse. */
  mouse: "mouse",
  /** A gamepad. */
  gamepad: "gamepad",
  /** A steering wheel with its pedals. */
  wheel: "wheel",
} as const;

/** One of `CONTROL_DEVICES`. */
export type ControlDevice = (typeof CONTROL_DEVICES)[keyof typeof CONTROL_DEVICES];

/** One control that a page may show, or explain, for a converter. */
export interface ControlHint {
  /** What it does, such as `Steer left`; the same words on two devices mean the same control. */
  readonly label: string;
  /** What it is on; says how the bindings are to be read. */
  readonly device: ControlDevice;
  /** Codes or axes that do it, such as `["KeyA", "ArrowLeft"]`. */
  readonly bindings: readonly string[];
  /** How a touch screen should offer it: `button`, `stick`, `look` or `none`. */
  readonly touch: "button" | "stick" | "look" | "none";
  /** For `stick`: which way this entry points. */
  readonly direction?: "up" | "down" | "left" | "right";
}

/** What one conversion gives: a value, or nothing when the device is present but idle; and the next state. */
export interface Conversion<State> {
  /** The value of the produced modality, or `undefined` so that a converter of lower priority may win. */
  readonly value: Mapping | undefined;
  /** The state after this window; serialisable. */
  readonly state: State;
}

/**
 * Turns the raw events of one device into values of one modality. A definition without hidden state: its state is a
 * serialisable value that the driver keeps for each session and commits only after the step succeeded.
 */
export interface DeviceConverter<State = unknown> {
  /** Unique name within a canonicaliser. */
  readonly name: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** Event capabilities that it needs; all must be supported by the source. */
  readonly consumes: readonly UserInputCapability[];
  /** The modality that it produces. */
  readonly produces: CanonicalModality;
  /** Higher wins when several produce the same modality; default 0. */
  readonly priority: number;
  /** On-screen controls and their explanation; default none. */
  readonly controls: readonly ControlHint[];
  /** The state before the first window. */
  createState(): State;
  /** Converts one window; windows come in order. The same windows give the same result. */
  convert(inputs: UserInputs, window: TimeWindow, state: State): Conversion<State>;
}

/** What the factory of a converter takes. */
export interface DeviceConverterInput<State> {
  /** Unique name within a canonicaliser. */
  readonly name: string;
  /** Version of its behaviour; default `1`. */
  readonly version?: string;
  /** Event capabilities, or bare event types. */
  readonly consumes: readonly UserInputCapabilityInput[];
  /** The modality that it produces. */
  readonly produces: CanonicalModalityInput;
  /** Higher wins; default 0. */
  readonly priority?: number;
  /** On-screen controls; default none. */
  readonly controls?: readonly ControlHint[];
  /** The state before the first window. */
  createState(): State;
  /** Converts one window. */
  convert(inputs: UserInputs, window: TimeWindow, state: State): Conversion<State>;
}

const makeHint = recordFactory<ControlHint>("ControlHint", {
  label: text({ maxLength: 200 }),
  device: oneOf(CONTROL_DEVICES),
  bindings: withDefault(listOf(text({ maxLength: 128 })), Object.freeze([])),
  touch: withDefault(
    (value, path) =>
      value === "button" || value === "stick" || value === "look" || value === "none"
        ? value
        : refuse(path, 'one of "button", "stick", "look", "none"', value),
    "none",
  ),
  direction: (value, path) =>
    value === undefined || value === "up" || value === "down" || value === "left" || value === "right"
      ? value
      : refuse(path, 'one of "up", "down", "left", "right"', value),
});

const make = recordFactory<DeviceConverter>("DeviceConverter", {
  name: text({ maxLength: 128 }),
  version: withDefault(text({ maxLength: 64 }), "1"),
  consumes: withDefault(
    listOf(made((value) => userInputCapability(value as UserInputCapabilityInput))),
    Object.freeze([]),
  ),
  produces: made((value) => canonicalModality(value as CanonicalModalityInput)),
  priority: withDefault(finite(), 0),
  controls: withDefault(listOf(made(makeHint)), Object.freeze([])),
  createState: callable(),
  convert: callable(),
});

/** Makes a `DeviceConverter`; refuses blank names, wrong types and unknown keys. */
export function deviceConverter<State>(input: DeviceConverterInput<State>): DeviceConverter<State> {
  return make(input) as DeviceConverter<State>;
}

/** Checks that a converter's state is plain JSON, as snapshots and traces need it. */
export function converterStateToJson(converter: DeviceConverter, state: unknown): Json {
  return json(state, `state of converter ${JSON.stringify(converter.name)}`);
}

/** Checks what a converter returned and freezes its value; the error names the converter. */
export function readConversion(converter: DeviceConverter, returned: unknown): Conversion<unknown> {
  const place = `DeviceConverter(${JSON.stringify(converter.name)}).convert()`;
  const conversion = mapping(returned, place);
  if (!("state" in conversion)) refuse(`${place}.state`, "the state after this window", undefined);
  return conversion as unknown as Conversion<unknown>;
}
