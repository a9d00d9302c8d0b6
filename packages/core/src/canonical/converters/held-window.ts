import { MOUSE_BUTTON_NAMES } from "../../inputs/catalogue/mouse-events.ts";
import type { UserInputEvent } from "../../inputs/user-input-event.ts";
import type { UserInputs } from "../../inputs/user-inputs.ts";
import { text, type Reader } from "../../foundation/validate/reader.ts";
import { payloadCount, payloadFlag, payloadNumber, payloadText } from "./payload.ts";

/** Codes of keys and mouse buttons that are down, in the order in which they went down. */
export type HeldCodeList = readonly string[];

/** What one window did to keys and mouse buttons. */
export interface HeldWindow {
  /** What is down at its end; the same list when nothing changed. */
  readonly held: HeldCodeList;
  /** How often each code was pressed within it; absent when none was. */
  readonly presses: ReadonlyMap<string, number> | undefined;
}

/** The code of a mouse button: a name for the five that have one, else `Mouse` and its number. */
function mouseButtonCode(button: number): string {
  return MOUSE_BUTTON_NAMES[button] ?? `Mouse${button}`;
}

/** Reads the code of a key or a mouse button; a button may also be given by its number, as `Mouse0`. */
export const heldCode: Reader<string> = (value, path) => {
  const code = text({ maxLength: 128 })(value, path);
  const [, button] = /^Mouse(0|[1-9]\d?)$/.exec(code) ?? [];
  return button === undefined ? code : mouseButtonCode(Number(button));
};

/** Nothing is down. */
export const NOTHING_HELD: HeldCodeList = Object.freeze([]);

/**
 * Folds the edges of one window into `held`. Only `tracked` codes are looked at, which bounds the state. Loss of focus releases
 * everything.
 */
export function foldHeldCodes(inputs: UserInputs, tracked: ReadonlySet<string>, held: HeldCodeList): HeldWindow {
  const { events } = inputs;
  if (events.length === 0) return { held, presses: undefined };
  let now = held;
  let presses: Map<string, number> | undefined;
  for (const event of events) {
    switch (event.eventType) {
      case "focus":
        if (!payloadFlag(event, "focused")) now = NOTHING_HELD;
        break;
      case "key_down":
      case "key_up":
      case "mouse_button": {
        const code = codeOf(event);
        if (!tracked.has(code)) break;
        const isHeld = now.includes(code);
        if (!goesDown(event)) {
          if (isHeld) now = Object.freeze(now.filter((other) => other !== code));
          break;
        }
        // A key that is down sends repetitions, which are no presses; with a count it was released and pressed in between.
        const count = payloadCount(event, "presses", isHeld ? 0 : 1);
        if (!isHeld) now = Object.freeze([...now, code]);
        if (count > 0) {
          presses ??= new Map();
          presses.set(code, (presses.get(code) ?? 0) + count);
        }
        break;
      }
      default:
    }
  }
  return { held: now, presses };
}

/** Whether one of `codes` counts as held: it is down at the end of the window or was pressed within it. */
export function isActive(window: HeldWindow, codes: readonly string[]): boolean {
  for (const code of codes) {
    if (window.held.includes(code) || window.presses?.has(code) === true) return true;
  }
  return false;
}

function codeOf(event: UserInputEvent): string {
  return event.eventType === "mouse_button"
    ? mouseButtonCode(payloadNumber(event, "button"))
    : payloadText(event, "code");
}

function goesDown(event: UserInputEvent): boolean {
  return event.eventType === "mouse_button" ? payloadFlag(event, "pressed") : event.eventType === "key_down";
}
