import { BUTTON_THRESHOLD, type GamepadStatePayload, type WheelStatePayload } from "../catalogue/pad-events.ts";
import { StateOrder, type StateOrderState } from "./state-order.ts";

/** Values below this count as rest; the dead zone of gamepads. */
export const REST_THRESHOLD = 0.05;

/** The payload of a gamepad or a steering wheel. */
export type PadPayload = GamepadStatePayload & WheelStatePayload;

/** What `HeldPad` remembers, as plain JSON. */
export interface HeldPadState {
  /** The state in force, without presses; absent: not connected. */
  readonly payload?: PadPayload;
  /** Button values as the device last told them, also after a release by loss of focus. */
  readonly reported: readonly number[];
  /** Cumulative presses of the epoch that have been seen. */
  readonly counts: readonly number[];
  /** Order of state messages. */
  readonly order: StateOrderState;
}

const SCALARS = ["steer", "throttle", "brake", "clutch"] as const;

/** One gamepad or steering wheel: the state in force and what of it has been told already. */
export class HeldPad {
  /** Decides which messages are stale. */
  readonly order: StateOrder;
  #payload: PadPayload | undefined;
  #reported: readonly number[];
  #counts: readonly number[];

  /** Continues from what `save()` gave. */
  constructor(state: HeldPadState = { reported: [], counts: [], order: {} }) {
    this.order = new StateOrder(state.order);
    this.#payload = state.payload;
    this.#reported = state.reported;
    this.#counts = state.counts;
  }

  /** The state in force with no presses; `undefined` when the pad is not connected. */
  get payload(): PadPayload | undefined {
    return this.#payload;
  }

  /** Whether anything is away from rest. */
  get isHeld(): boolean {
    const { axes, buttons } = this.#payload ?? {};
    if (axes?.some((value) => Math.abs(value) >= REST_THRESHOLD)) return true;
    if (buttons?.some((value) => value >= REST_THRESHOLD)) return true;
    return SCALARS.some((name) => Math.abs(this.#payload?.[name] ?? 0) >= REST_THRESHOLD);
  }

  /** Takes over a message; gives the payload to pass on, or nothing when it says nothing new. */
  apply(message: PadPayload, newEpoch: boolean): PadPayload | undefined {
    if (!message.connected) {
      const wasThere = this.#payload !== undefined;
      this.#payload = undefined;
      this.#reported = [];
      // Presses of a pad that goes in the same window are merged into the news of its going.
      return wasThere || hasPresses(message.pressed) ? passedOn(message, message.pressed) : undefined;
    }
    const pressed = this.#pressed(message, newEpoch);
    this.#reported = message.buttons ?? [];
    const resting = withoutCounts(message, message.buttons === undefined ? undefined : []);
    const isSame = this.#payload !== undefined && samePad(this.#payload, resting);
    this.#payload = resting;
    return isSame && !hasPresses(pressed) ? undefined : passedOn(message, pressed);
  }

  /** Puts everything at rest; gives the payload that says so, or nothing when it is at rest. */
  release(): PadPayload | undefined {
    if (this.#payload === undefined) return undefined;
    const { axes, buttons, ...rest } = this.#payload;
    const zeroed: { -readonly [Field in keyof PadPayload]: PadPayload[Field] } = { ...rest };
    if (axes !== undefined) zeroed.axes = Object.freeze(axes.map(() => 0));
    if (buttons !== undefined) zeroed.buttons = Object.freeze(buttons.map(() => 0));
    for (const name of SCALARS) if (zeroed[name] !== undefined) zeroed[name] = 0;
    if (samePad(this.#payload, zeroed)) return undefined;
    this.#payload = Object.freeze(zeroed);
    return this.#payload;
  }

  /** What is remembered, as plain JSON. */
  save(): HeldPadState {
    return {
      ...(this.#payload === undefined ? {} : { payload: this.#payload }),
      reported: this.#reported,
      counts: this.#counts,
      order: this.order.save(),
    };
  }

  /**
   * Buttons that were pressed since the message before: as told, else by counts, else those that are down now and were not. A release by loss
   * of focus does not make a button that is still down look pressed again.
   */
  #pressed(message: PadPayload, newEpoch: boolean): readonly number[] | undefined {
    if (message.pressed !== undefined) return message.pressed;
    const counts = message.pressCounts;
    if (counts !== undefined) {
      const seen = newEpoch ? [] : this.#counts;
      this.#counts = counts.map((count, index) => Math.max(count, seen[index] ?? 0));
      return indexesWhere(counts, (count, index) => count > (seen[index] ?? 0));
    }
    if (message.buttons === undefined) return undefined;
    const before = this.#reported;
    return indexesWhere(
      message.buttons,
      (value, index) => value >= BUTTON_THRESHOLD && (before[index] ?? 0) < BUTTON_THRESHOLD,
    );
  }
}

/** The presses of two payloads that follow each other, together. */
export function joinPresses<Name>(
  earlier: readonly Name[] | undefined,
  later: readonly Name[] | undefined,
): readonly Name[] | undefined {
  if (earlier === undefined || earlier.length === 0) return later;
  if (later === undefined || later.length === 0) return earlier;
  return Object.freeze([...new Set([...earlier, ...later])]);
}

function hasPresses(pressed: readonly number[] | undefined): boolean {
  return pressed !== undefined && pressed.length > 0;
}

/** What converters get: the message itself where it holds nothing else. */
function passedOn(message: PadPayload, pressed: readonly number[] | undefined): PadPayload {
  return message.pressed === pressed && message.epoch === undefined ? message : withoutCounts(message, pressed);
}

function withoutCounts(message: PadPayload, pressed: readonly number[] | undefined): PadPayload {
  const { pressCounts: _counts, epoch: _epoch, sequence: _sequence, pressed: _pressed, ...state } = message;
  return Object.freeze(pressed === undefined ? state : { ...state, pressed });
}

function indexesWhere(values: readonly number[], test: (value: number, index: number) => boolean): readonly number[] {
  const found: number[] = [];
  for (let index = 0; index < values.length; index += 1) {
    if (test(values[index], index)) found.push(index);
  }
  return Object.freeze(found);
}

function samePad(left: PadPayload, right: PadPayload): boolean {
  return (
    SCALARS.every((name) => left[name] === right[name]) &&
    sameList(left.axes, right.axes) &&
    sameList(left.buttons, right.buttons)
  );
}

function sameList(left: readonly number[] | undefined, right: readonly number[] | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.length === right.length && left.every((value, index) => value === right[index]);
}
