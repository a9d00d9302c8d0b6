import {
  finite,
  flag,
  isPlainObject,
  listOf,
  optional,
  refuse,
  withDefault,
  type Reader,
} from "../../foundation/validate/reader.ts";
import { eventDefinition } from "./event-definition.ts";
import { count } from "./keyboard-events.ts";

/** Greatest number of a mouse button; 0 is the left one, 1 the middle one, 2 the right one. */
export const MAX_MOUSE_BUTTON = 15;
/** Names of the buttons that have one, by their number. */
export const MOUSE_BUTTON_NAMES: readonly string[] = Object.freeze([
  "MouseLeft",
  "MouseMiddle",
  "MouseRight",
  "MouseBack",
  "MouseForward",
]);
/** Greatest movement in one event, in pixels. */
export const MAX_DELTA = 1e6;
/** Greatest cumulative movement within an epoch, in pixels. */
export const MAX_TOTAL_DELTA = 1e12;

/** The mouse moved. */
export interface MouseMovePayload {
  /** Movement to the right in CSS pixels; fractions are kept. */
  readonly deltaX: number;
  /** Movement downwards in CSS pixels; fractions are kept. */
  readonly deltaY: number;
}

/** A mouse button went down or up. */
export interface MouseButtonPayload {
  /** 0 left, 1 middle, 2 right, 3 back, 4 forward. */
  readonly button: number;
  /** Whether it is down now. */
  readonly pressed: boolean;
  /** As for keys: how often it was pressed (absent: once), 0 restores held state without counting a press. */
  readonly presses?: number;
}

/** The wheel turned. */
export interface MouseWheelPayload {
  /** Movement to the right in pixels; default 0. */
  readonly deltaX: number;
  /** Movement downwards in pixels. */
  readonly deltaY: number;
}

/** Everything about a mouse as totals, for transports that may lose messages. */
export interface MouseStatePayload {
  /** Sum of all movement to the right since the epoch began. */
  readonly totalX: number;
  /** Sum of all downward movement since the epoch began. */
  readonly totalY: number;
  /** Sum of all wheel movement to the right since the epoch began; default 0. */
  readonly wheelX: number;
  /** Sum of all downward wheel movement since the epoch began; default 0. */
  readonly wheelY: number;
  /** Buttons that are down now; default none. */
  readonly buttons: readonly number[];
  /** How often each button was pressed since the epoch began; default: unchanged. */
  readonly pressCounts: Readonly<Record<string, number>>;
  /** Number of the stretch over which totals and counts run, rising; a new one starts all at 0. */
  readonly epoch: number;
  /** Number of the message within the epoch, rising; older and repeated ones are ignored. */
  readonly sequence?: number;
}

const delta = finite({ min: -MAX_DELTA, max: MAX_DELTA });
const total = finite({ min: -MAX_TOTAL_DELTA, max: MAX_TOTAL_DELTA });
const button = finite({ integer: true, min: 0, max: MAX_MOUSE_BUTTON });

const pressCountsByButton: Reader<Readonly<Record<string, number>>> = (value, path) => {
  if (!isPlainObject(value)) refuse(path, "a mapping from button numbers to counts", value);
  const counts: Record<string, number> = {};
  for (const [name, entry] of Object.entries(value)) {
    if (!/^(0|[1-9][0-9]?)$/.test(name) || Number(name) > MAX_MOUSE_BUTTON) {
      refuse(path, `button numbers from 0 to ${MAX_MOUSE_BUTTON}`, name);
    }
    counts[name] = count(entry, `${path}.${name}`);
  }
  return Object.freeze(counts);
};

/** The events of mice. */
export const mouseEvents = [
  eventDefinition<MouseMovePayload>({
    eventType: "mouse_move",
    modality: "mouse",
    description: "The mouse moved by so many pixels; movements add up until a step has seen them.",
    fields: { deltaX: delta, deltaY: delta },
  }),
  eventDefinition<MouseButtonPayload>({
    eventType: "mouse_button",
    modality: "mouse",
    description: "A mouse button went down or up.",
    fields: { button, pressed: flag, presses: optional(count) },
    check: (payload, path) => {
      if (!payload.pressed && payload.presses !== undefined) {
        refuse(`${path}.presses`, "nothing when pressed is false", payload.presses);
      }
    },
  }),
  eventDefinition<MouseWheelPayload>({
    eventType: "mouse_wheel",
    modality: "mouse",
    description: "The wheel turned by so many pixels; movements add up until a step has seen them.",
    fields: { deltaX: withDefault(delta, 0), deltaY: delta },
  }),
  eventDefinition<MouseStatePayload>({
    eventType: "mouse_state",
    modality: "mouse",
    description: "Held buttons and cumulative movement, so that a lost message loses no movement and no click.",
    fields: {
      totalX: total,
      totalY: total,
      wheelX: withDefault(total, 0),
      wheelY: withDefault(total, 0),
      buttons: withDefault(listOf(button, { max: MAX_MOUSE_BUTTON + 1 }), Object.freeze([])),
      pressCounts: withDefault(pressCountsByButton, Object.freeze({})),
      epoch: count,
      sequence: optional(count),
    },
    resolvesInto: ["mouse_move", "mouse_wheel", "mouse_button"],
  }),
] as const;
