import { STATE_EVENTS, type DeviceState } from "@dreamloop/protocol";
import { PadCounts, PressedCodes } from "./press-counts.ts";

/** What a gamepad says right now. */
export interface PadReading {
  /** Axes from −1 to 1 in the order of the standard mapping. */
  readonly axes: readonly number[];
  /** Buttons from 0 to 1. */
  readonly buttons: readonly number[];
}

/** What a steering wheel with its pedals says right now. */
export interface WheelReading {
  /** −1 (right) to 1 (left). */
  readonly steer: number;
  /** 0 (up) to 1 (down). */
  readonly throttle: number;
  /** 0 (up) to 1 (down). */
  readonly brake: number;
  /** 0 (up) to 1 (down). */
  readonly clutch: number;
  /** Buttons from 0 to 1. */
  readonly buttons: readonly number[];
}

/** Why input does not reach the world. */
export type ReleaseReason = "blur" | "hidden" | "pointer_lock" | "menu" | "link" | "detached";

/** Values of sticks and pedals below this count as rest. */
const REST_LEVEL = 0.05;
/** Longest code that the server takes, in UTF-16 units. */
const MAX_CODE_LENGTH = 32;

/**
 * Everything that is held on every device of one client, and how often and how far each was used since the epoch began. A message made from it
 * makes all older ones superfluous, so that a lost message loses nothing. Pure: no clock, no page.
 */
export class InputState {
  readonly #keys = new PressedCodes<string>();
  readonly #buttons = new PressedCodes<number>();
  readonly #pads = new Map<number, { reading: PadReading; counts: PadCounts }>();
  readonly #axes = new Map<string, number>();
  #wheel: { reading: WheelReading; counts: PadCounts } | undefined;
  readonly #gone = new Set<number | "wheel">();
  #totals = { x: 0, y: 0, wheelX: 0, wheelY: 0 };
  #usesKeys = false;
  #usesMouse = false;
  #actions: readonly string[] | undefined;
  #focus: { readonly focused: boolean; readonly reason?: ReleaseReason } = { focused: true };
  #version = 0;

  /** Rises with every change, so that a sender knows what it has sent. */
  get version(): number {
    return this.#version;
  }

  /** Whether input reaches the world. */
  get focused(): boolean {
    return this.#focus.focused;
  }

  /** Codes of the keys that are held. */
  get heldKeys(): readonly string[] {
    return this.#keys.held;
  }

  /** Numbers of the mouse buttons that are held. */
  get heldButtons(): readonly number[] {
    return this.#buttons.held;
  }

  /** Whether anything is held, so that the state has to be told again and again. */
  get anythingHeld(): boolean {
    if (!this.#focus.focused) return false;
    if (!this.#keys.isEmpty || !this.#buttons.isEmpty || (this.#actions ?? []).length > 0) return true;
    if ([...this.#axes.values()].some((value) => value !== 0)) return true;
    if ([...this.#pads.values()].some(({ reading }) => isUsed(reading.axes) || isUsed(reading.buttons))) return true;
    const wheel = this.#wheel?.reading;
    return (
      wheel !== undefined && (isUsed([wheel.steer, wheel.throttle, wheel.brake, wheel.clutch]) || isUsed(wheel.buttons))
    );
  }

  /** A key goes down; `holder` tells a physical keyboard from an on-screen button. Unfocused input is ignored. */
  keyDown(code: string, holder = "keyboard"): boolean {
    if (!this.#focus.focused || code === "" || code.length > MAX_CODE_LENGTH) return false;
    this.#usesKeys = true;
    return this.#changed(this.#keys.press(code, holder));
  }

  /** A key goes up. */
  keyUp(code: string, holder = "keyboard"): boolean {
    return this.#changed(this.#keys.release(code, holder));
  }

  /** A mouse button goes down; 0 left, 1 middle, 2 right. */
  buttonDown(button: number, holder = "mouse"): boolean {
    if (!this.#focus.focused || button < 0 || button > 15) return false;
    this.#usesMouse = true;
    return this.#changed(this.#buttons.press(button, holder));
  }

  /** A mouse button goes up. */
  buttonUp(button: number, holder = "mouse"): boolean {
    return this.#changed(this.#buttons.release(button, holder));
  }

  /** The mouse moves by CSS pixels; fractions are kept. */
  moveMouse(deltaX: number, deltaY: number): boolean {
    if (!this.#focus.focused || (deltaX === 0 && deltaY === 0)) return false;
    this.#usesMouse = true;
    this.#totals.x += deltaX;
    this.#totals.y += deltaY;
    return this.#changed(true);
  }

  /** The wheel turns by CSS pixels. */
  turnWheel(deltaX: number, deltaY: number): boolean {
    if (!this.#focus.focused || (deltaX === 0 && deltaY === 0)) return false;
    this.#usesMouse = true;
    this.#totals.wheelX += deltaX;
    this.#totals.wheelY += deltaY;
    return this.#changed(true);
  }

  /** A gamepad was read; `undefined` when it is gone. While input is ignored it counts as at rest, whatever is held. */
  setPad(index: number, reading: PadReading | undefined): boolean {
    const before = this.#pads.get(index);
    if (reading === undefined) {
      if (before === undefined) return false;
      this.#pads.delete(index);
      this.#gone.add(index);
      return this.#changed(true);
    }
    this.#gone.delete(index);
    const counts = before?.counts ?? new PadCounts();
    counts.read(reading.buttons, { isCounted: this.#focus.focused });
    const felt = this.#focus.focused ? reading : padAtRest(reading);
    if (before !== undefined && samePad(before.reading, felt)) return false;
    this.#pads.set(index, { reading: felt, counts });
    return this.#changed(true);
  }

  /** A steering wheel was read; `undefined` when it is gone. While input is ignored it counts as at rest. */
  setWheel(reading: WheelReading | undefined): boolean {
    const before = this.#wheel;
    if (reading === undefined) {
      if (before === undefined) return false;
      this.#wheel = undefined;
      this.#gone.add("wheel");
      return this.#changed(true);
    }
    this.#gone.delete("wheel");
    const counts = before?.counts ?? new PadCounts();
    counts.read(reading.buttons, { isCounted: this.#focus.focused });
    const felt = this.#focus.focused ? reading : wheelAtRest(reading);
    if (before !== undefined && sameWheel(before.reading, felt)) return false;
    this.#wheel = { reading: felt, counts };
    return this.#changed(true);
  }

  /** A named axis moves, −1 to 1; it is held until the next value. */
  setAxis(name: string, value: number): boolean {
    if (!this.#focus.focused && value !== 0) return false;
    if ((this.#axes.get(name) ?? 0) === value) return false;
    this.#axes.set(name, value);
    return this.#changed(true);
  }

  /** Names of all actions that are held now. */
  setActions(actions: readonly string[]): boolean {
    if (!this.#focus.focused && actions.length > 0) return false;
    const before = this.#actions ?? [];
    if (before.length === actions.length && before.every((name) => actions.includes(name))) return false;
    this.#actions = [...actions];
    return this.#changed(true);
  }

  /** Releases everything, and ignores input until `focus()`. */
  release(reason: ReleaseReason): boolean {
    const isNews = this.#focus.focused || this.#focus.reason !== reason;
    this.#keys.releaseAll();
    this.#buttons.releaseAll();
    for (const name of this.#axes.keys()) this.#axes.set(name, 0);
    if (this.#actions !== undefined) this.#actions = [];
    // Pads are read again before they count again: what was held now may be let go of meanwhile.
    for (const [index, { reading, counts }] of this.#pads)
      this.#pads.set(index, { reading: padAtRest(reading), counts });
    if (this.#wheel !== undefined) this.#wheel = { ...this.#wheel, reading: wheelAtRest(this.#wheel.reading) };
    this.#focus = { focused: false, reason };
    return this.#changed(isNews);
  }

  /** Input reaches the world again. What is still held physically counts once it is pressed again. */
  focus(): boolean {
    if (this.#focus.focused) return false;
    this.#focus = { focused: true };
    return this.#changed(true);
  }

  /** A new stretch of counting begins: all counts and sums are 0, what is held stays held. */
  beginEpoch(): void {
    this.#keys.beginEpoch();
    this.#buttons.beginEpoch();
    this.#totals = { x: 0, y: 0, wheelX: 0, wheelY: 0 };
    for (const { counts } of this.#pads.values()) counts.beginEpoch();
    this.#wheel?.counts.beginEpoch();
    this.#version += 1;
  }

  /** The whole state of every device that has been used, for one message. */
  states(epoch: number, sequence: number): readonly DeviceState[] {
    const order = { epoch, sequence };
    const states: DeviceState[] = [{ eventType: STATE_EVENTS.focus, payload: { ...this.#focus } }];
    if (this.#usesKeys) {
      const payload = { codes: this.#keys.held.slice(0, 256), pressCounts: this.#keys.counts, ...order };
      states.push({ eventType: STATE_EVENTS.keys, payload });
    }
    if (this.#usesMouse) {
      const { x: totalX, y: totalY, wheelX, wheelY } = this.#totals;
      const held = { buttons: this.#buttons.held, pressCounts: this.#buttons.counts };
      states.push({ eventType: STATE_EVENTS.mouse, payload: { totalX, totalY, wheelX, wheelY, ...held, ...order } });
    }
    for (const [index, { reading, counts }] of this.#pads) {
      const { axes, buttons } = reading;
      const payload = { connected: true, index, axes, buttons, pressCounts: counts.values, ...order };
      states.push({ eventType: STATE_EVENTS.gamepad, payload });
    }
    if (this.#wheel !== undefined) {
      const { reading, counts } = this.#wheel;
      const payload = { ...reading, pressCounts: counts.values, ...order };
      states.push({ eventType: STATE_EVENTS.wheel, payload: { connected: true, ...payload } });
    }
    for (const gone of this.#gone) {
      if (gone === "wheel") states.push({ eventType: STATE_EVENTS.wheel, payload: { connected: false, ...order } });
      else states.push({ eventType: STATE_EVENTS.gamepad, payload: { connected: false, index: gone, ...order } });
    }
    if (this.#actions !== undefined) {
      states.push({ eventType: STATE_EVENTS.actions, payload: { actions: this.#actions } });
    }
    for (const [name, value] of this.#axes) states.push({ eventType: STATE_EVENTS.axis, payload: { name, value } });
    return states;
  }

  #changed(isNews: boolean): boolean {
    if (isNews) this.#version += 1;
    return isNews;
  }
}

function isUsed(values: readonly number[]): boolean {
  return values.some((value) => Math.abs(value) >= REST_LEVEL);
}

function sameList(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

function samePad(left: PadReading, right: PadReading): boolean {
  return sameList(left.axes, right.axes) && sameList(left.buttons, right.buttons);
}

function sameWheel(left: WheelReading, right: WheelReading): boolean {
  const scalars = (wheel: WheelReading): number[] => [wheel.steer, wheel.throttle, wheel.brake, wheel.clutch];
  return sameList(scalars(left), scalars(right)) && sameList(left.buttons, right.buttons);
}

/** The same gamepad with everything let go of. */
export function padAtRest({ axes, buttons }: PadReading): PadReading {
  return { axes: axes.map(() => 0), buttons: buttons.map(() => 0) };
}

/** The same wheel in the middle, with all pedals up. */
export function wheelAtRest({ buttons }: WheelReading): WheelReading {
  return { steer: 0, throttle: 0, brake: 0, clutch: 0, buttons: buttons.map(() => 0) };
}
