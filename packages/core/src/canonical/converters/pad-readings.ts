import type { UserInputEvent } from "../../inputs/user-input-event.ts";
import type { UserInputs } from "../../inputs/user-inputs.ts";
import { finite, listOf, refuse, text, type Reader } from "../../foundation/validate/reader.ts";
import { ON_LEVEL } from "./driver-actions.ts";
import { payloadCount, payloadFlag, payloadSignedUnit, payloadUnit } from "./payload.ts";

/** The newest state of one connected gamepad or steering wheel; plain JSON. */
export interface PadReading {
  /** Which device. */
  readonly index: number;
  /** Axes, -1 to 1. */
  readonly axes: readonly number[];
  /** Buttons, 0 to 1. */
  readonly buttons: readonly number[];
  /** Steering, left positive, where the sender has decided what steers. */
  readonly steer?: number;
  /** Throttle, where the sender has decided what it is. */
  readonly throttle?: number;
  /** Brake, where the sender has decided what it is. */
  readonly brake?: number;
}

/** The connected devices, lowest index first. */
export type PadReadings = readonly PadReading[];

/** A device in one window: its newest state and how far each button was down that was pressed within the window. */
export interface PadWindow {
  /** The newest state. */
  readonly reading: PadReading;
  /** By button: the greatest value since it was pressed within the window. */
  readonly peaks: ReadonlyMap<number, number>;
  /** By button: how often it was pressed within the window. */
  readonly presses: ReadonlyMap<number, number>;
}

/** No device is connected. */
export const NO_PADS: PadReadings = Object.freeze([]);

const CODE = /^(Button(0|[1-9]\d?)|Axis(0|[1-9]\d?)[+-])$/;

/** Reads a pad's code: `Button7`, or half an axis such as `Axis0-`. */
export const padCode: Reader<string> = (value, path) => {
  const code = text({ maxLength: 16 })(value, path);
  return CODE.test(code) ? code : refuse(path, 'a button such as "Button7" or half an axis such as "Axis0-"', code);
};

/**
 * Folds the state events of one window into `readings`. A device that is disconnected, and every device after a loss of focus, is
 * gone until its next state.
 */
export function foldPads(
  inputs: UserInputs,
  eventType: string,
  readings: PadReadings,
): { readonly readings: PadReadings; readonly pads: readonly PadWindow[] } {
  let now = readings;
  const windows = new Map<number, { peaks: Map<number, number>; presses: Map<number, number> }>();
  for (const event of inputs.events) {
    if (event.eventType === "focus" && !payloadFlag(event, "focused")) now = NO_PADS;
    if (event.eventType !== eventType) continue;
    const index = payloadCount(event, "index", 0);
    const before = now.find((reading) => reading.index === index);
    const others = now.filter((reading) => reading.index !== index);
    if (!payloadFlag(event, "connected")) {
      now = Object.freeze(others);
      windows.delete(index);
      continue;
    }
    const reading = readPad(event, index);
    now = Object.freeze([...others, reading].sort((one, other) => one.index - other.index));
    const window = windows.get(index) ?? { peaks: new Map<number, number>(), presses: new Map<number, number>() };
    windows.set(index, window);
    notePresses(window, event, reading, before);
  }
  const none = new Map<number, number>();
  const pads = now.map((reading) => ({ reading, ...(windows.get(reading.index) ?? { peaks: none, presses: none }) }));
  return { readings: now, pads };
}

function notePresses(
  window: { readonly peaks: Map<number, number>; readonly presses: Map<number, number> },
  event: UserInputEvent,
  reading: PadReading,
  before: PadReading | undefined,
): void {
  const isDown = (pad: PadReading | undefined, button: number): boolean => (pad?.buttons[button] ?? 0) >= ON_LEVEL;
  const pressed =
    event.payload.pressed === undefined
      ? [...reading.buttons.keys()].filter((button) => isDown(reading, button) && !isDown(before, button))
      : readPressed(event.payload.pressed, `UserInputEvent(${event.eventType}).payload.pressed`);
  for (const button of pressed) {
    window.presses.set(button, (window.presses.get(button) ?? 0) + 1);
    // A button that is up again by now was fully down as far as anyone knows.
    if (!window.peaks.has(button)) window.peaks.set(button, isDown(reading, button) ? 0 : 1);
  }
  for (const [button, peak] of window.peaks) window.peaks.set(button, Math.max(peak, reading.buttons[button] ?? 0));
}

/**
 * How far a code is on, 0 to 1: half an axis as it is now, a button as it is now or, when it was pressed within the window and is up
 * again, as far as it was down. Values up to `deadZone` count as 0, others are unchanged.
 */
export function padLevel(pad: PadWindow, code: string, deadZone: number): number {
  if (code.startsWith("Axis")) {
    const value = (code.endsWith("-") ? -1 : 1) * (pad.reading.axes[Number(code.slice(4, -1))] ?? 0);
    return value > deadZone ? value : 0;
  }
  const button = Number(code.slice("Button".length));
  const value = pad.reading.buttons[button] ?? 0;
  return value > deadZone ? value : (pad.peaks.get(button) ?? 0);
}

const readAxes = listOf(finite({ min: -1, max: 1 }), { max: 64 });
const readButtons = listOf(finite({ min: 0, max: 1 }), { max: 100 });
const readPressed = listOf(finite({ integer: true, min: 0, max: 99 }), { max: 100 });

function readPad(event: UserInputEvent, index: number): PadReading {
  const { payload } = event;
  const path = `UserInputEvent(${event.eventType}).payload`;
  return Object.freeze({
    index,
    axes: payload.axes === undefined ? Object.freeze([]) : readAxes(payload.axes, `${path}.axes`),
    buttons: payload.buttons === undefined ? Object.freeze([]) : readButtons(payload.buttons, `${path}.buttons`),
    ...(payload.steer === undefined ? {} : { steer: payloadSignedUnit(event, "steer") }),
    ...(payload.throttle === undefined ? {} : { throttle: payloadUnit(event, "throttle") }),
    ...(payload.brake === undefined ? {} : { brake: payloadUnit(event, "brake") }),
  });
}
