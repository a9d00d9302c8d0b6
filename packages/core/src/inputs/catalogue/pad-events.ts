import { finite, flag, listOf, optional, refuse } from "../../foundation/validate/reader.ts";
import { eventDefinition } from "./event-definition.ts";
import { count } from "./keyboard-events.ts";

/** Greatest index of a gamepad. */
export const MAX_PAD_INDEX = 7;
/** Greatest number of axes of a gamepad. */
export const MAX_PAD_AXES = 16;
/** Greatest number of buttons of a gamepad or a steering wheel. */
export const MAX_PAD_BUTTONS = 64;
/** From this value on a button counts as pressed. */
export const BUTTON_THRESHOLD = 0.5;

/** The buttons of a gamepad or a steering wheel, with presses that survive merging and lost messages. */
export interface PadButtons {
  /** Value of each button from 0 to 1; pressed from `BUTTON_THRESHOLD` on. */
  readonly buttons?: readonly number[];
  /**
   * Buttons that were pressed since the state before this one, also when they are up again. Absent in what a device sends: found by
   * comparison with the state before. Always there, with `buttons`, in what a converter gets.
   */
  readonly pressed?: readonly number[];
  /** How often each button was pressed since the epoch began, for transports that may lose messages; needs `epoch`. */
  readonly pressCounts?: readonly number[];
  /** Number of the stretch over which the counts run, rising. */
  readonly epoch?: number;
  /** Number of the message within the epoch, rising; older and repeated ones are ignored. */
  readonly sequence?: number;
}

/** The whole state of a gamepad. */
export interface GamepadStatePayload extends PadButtons {
  /** Whether it is there; false makes it neutral. */
  readonly connected: boolean;
  /** Which gamepad; absent: 0. */
  readonly index?: number;
  /** Axes from −1 to 1 in the standard order: left stick x, y, right stick x, y; y down positive. */
  readonly axes?: readonly number[];
  /** Steering from −1 to 1, left positive, where the sender has decided what steers. */
  readonly steer?: number;
  /** Throttle from 0 to 1, where the sender has decided what it is. */
  readonly throttle?: number;
  /** Brake from 0 to 1, where the sender has decided what it is. */
  readonly brake?: number;
}

/** The whole state of a steering wheel with its pedals. */
export interface WheelStatePayload extends PadButtons {
  /** Whether it is there; false makes it neutral. */
  readonly connected: boolean;
  /** Steering from −1 to 1, left positive. */
  readonly steer?: number;
  /** Throttle pedal from 0 (up) to 1 (down). */
  readonly throttle?: number;
  /** Brake pedal from 0 (up) to 1 (down). */
  readonly brake?: number;
  /** Clutch pedal from 0 (up) to 1 (down). */
  readonly clutch?: number;
}

const unit = finite({ min: 0, max: 1 });
const signedUnit = finite({ min: -1, max: 1 });

const buttonFields = {
  buttons: optional(listOf(unit, { max: MAX_PAD_BUTTONS })),
  pressed: optional(listOf(finite({ integer: true, min: 0, max: MAX_PAD_BUTTONS - 1 }), { max: MAX_PAD_BUTTONS })),
  pressCounts: optional(listOf(count, { max: MAX_PAD_BUTTONS })),
  epoch: optional(count),
  sequence: optional(count),
};

function checkCounts(payload: PadButtons, path: string): void {
  if (payload.pressCounts !== undefined && payload.epoch === undefined) {
    refuse(`${path}.epoch`, "the number of the epoch, since pressCounts is given", undefined);
  }
  if (payload.pressed !== undefined && payload.pressCounts !== undefined) {
    refuse(`${path}.pressed`, "nothing, since pressCounts is given", payload.pressed);
  }
  if (payload.sequence !== undefined && payload.epoch === undefined) {
    refuse(`${path}.epoch`, "the number of the epoch, since sequence is given", undefined);
  }
}

function checkWheel(payload: WheelStatePayload, path: string): void {
  checkCounts(payload, path);
  if (!payload.connected) return;
  for (const field of ["steer", "throttle", "brake", "clutch"] as const) {
    if (payload[field] === undefined) refuse(`${path}.${field}`, "a number, as the wheel is connected", undefined);
  }
}

/** The events of gamepads and steering wheels. */
export const padEvents = [
  eventDefinition<GamepadStatePayload>({
    eventType: "gamepad_state",
    modality: "gamepad",
    description: "The whole state of a gamepad. While states wait, the newest counts and presses are kept.",
    fields: {
      connected: flag,
      index: optional(finite({ integer: true, min: 0, max: MAX_PAD_INDEX })),
      axes: optional(listOf(signedUnit, { max: MAX_PAD_AXES })),
      ...buttonFields,
      steer: optional(signedUnit),
      throttle: optional(unit),
      brake: optional(unit),
    },
    check: checkCounts,
    foldKey: (payload) => String(payload.index ?? 0),
  }),
  eventDefinition<WheelStatePayload>({
    eventType: "wheel_state",
    modality: "steering_wheel",
    description: "The whole state of a steering wheel with pedals. Connected, it names steer and all three pedals.",
    fields: {
      connected: flag,
      steer: optional(signedUnit),
      throttle: optional(unit),
      brake: optional(unit),
      clutch: optional(unit),
      ...buttonFields,
    },
    check: checkWheel,
  }),
] as const;
