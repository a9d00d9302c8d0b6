import type { Mapping } from "../foundation/validate/reader.ts";
import { MAX_PAD_INDEX } from "./catalogue/pad-events.ts";
import type { PointerPayload } from "./catalogue/pointer-events.ts";
import { payloadOf } from "./event-catalogue.ts";
import { HeldCodes } from "./held/held-codes.ts";
import { HeldActions, HeldAxes } from "./held/held-levels.ts";
import { HeldMouse } from "./held/held-mouse.ts";
import { HeldPad, type PadPayload } from "./held/held-pad.ts";
import { HeldPointers } from "./held/held-pointers.ts";
import { buttonEvent, keyEvent, madeEvent, NO_EVENTS, passAll, passOne, type EventOrigin } from "./held/made-events.ts";
import type { InputTrackerCounters, InputTrackerState } from "./held/tracker-state.ts";
import { userInputEvent, type UserInputEvent } from "./user-input-event.ts";

/** Greatest number of keys that are held at once; one more releases the key that was pressed first. */
export const MAX_HELD_CODES = 32;

/** The source of events that a missing message has caused. */
export const TIMEOUT_SOURCE = "timeout";

/**
 * What is held on every device of one session. It turns what devices and transports send into events that each say something new: edges pass
 * once, cumulative states become edges and movements, loss of focus becomes releases. Events that have been resolved pass another tracker
 * of the same history unchanged, so that a queue, a driver and a replay can each keep their own.
 */
export class InputTracker {
  readonly #keys: HeldCodes<string>;
  readonly #mouse: HeldMouse;
  readonly #pointers: HeldPointers;
  readonly #touches: HeldPointers;
  readonly #gamepads: readonly HeldPad[];
  readonly #wheel: HeldPad;
  readonly #axes: HeldAxes;
  readonly #actions: HeldActions;
  #focused: boolean | undefined;
  #staleStates = 0;
  #repeats = 0;
  #snapshot: Mapping | undefined;

  /** Continues from what `save()` gave; default: nothing is held. */
  constructor(state?: InputTrackerState) {
    this.#keys = new HeldCodes<string>(MAX_HELD_CODES, state?.keys);
    this.#mouse = new HeldMouse(state?.mouse);
    this.#pointers = new HeldPointers(state?.pointers);
    this.#touches = new HeldPointers(state?.touches);
    this.#gamepads = Array.from({ length: MAX_PAD_INDEX + 1 }, (_, index) => new HeldPad(state?.gamepads[index]));
    this.#wheel = new HeldPad(state?.wheel);
    this.#axes = new HeldAxes(state?.axes);
    this.#actions = new HeldActions(state?.actions);
    this.#focused = state?.focused;
  }

  /** Whether the input reaches the world; `undefined` while no event has told. */
  get focused(): boolean | undefined {
    return this.#focused;
  }

  /** What has been counted since this tracker was made. */
  get counters(): InputTrackerCounters {
    return { staleStates: this.#staleStates, repeats: this.#repeats, limitReleases: this.#keys.limitReleases };
  }

  /** Whether anything is held: a key, a button, a pointer, a pad away from rest, an axis, an action. */
  get anythingHeld(): boolean {
    return (
      this.#keys.held.size > 0 ||
      this.#mouse.buttons.held.size > 0 ||
      this.#pointers.size > 0 ||
      this.#touches.size > 0 ||
      this.#axes.values.size > 0 ||
      this.#actions.held.length > 0 ||
      this.#wheel.isHeld ||
      this.#gamepads.some((pad) => pad.isHeld)
    );
  }

  /** Whether a key is held. */
  isKeyHeld(code: string): boolean {
    return this.#keys.held.has(code);
  }

  /** Whether a mouse button is held. */
  isButtonHeld(button: number): boolean {
    return this.#mouse.buttons.held.has(button);
  }

  /** Whether a pointer (`pointer`) or a finger (`touch`) is down. */
  isPointerDown(eventType: string, id: number): boolean {
    return (eventType === "touch" ? this.#touches : this.#pointers).has(id);
  }

  /**
   * Takes over an event that the catalogue has read; gives the events that say what it changes, with its time and source: none for what is
   * known already, the event itself where it says one new thing, several for cumulative states and loss of focus. Types that hold nothing
   * (movements, conditions, control, those of other packages) pass as they are.
   */
  resolve(event: UserInputEvent): readonly UserInputEvent[] {
    const resolved = this.#resolve(event);
    if (resolved.length > 0) this.#snapshot = undefined;
    return resolved;
  }

  /**
   * The events that bring fresh converters to what is held now, after a reset: presses that count 0, the last state of pads, axes, actions and
   * pointers. It changes nothing here.
   */
  heldEvents(timestampSeconds: number, source?: string): readonly UserInputEvent[] {
    const origin: EventOrigin = source === undefined ? { timestampSeconds } : { timestampSeconds, source };
    const events: UserInputEvent[] = [];
    const add = (eventType: string, payload: object): number => events.push(madeEvent(origin, eventType, payload));
    if (this.#focused === false) add("focus", { focused: false });
    for (const code of this.#keys.held) add("key_down", { code, presses: 0 });
    for (const button of this.#mouse.buttons.held) add("mouse_button", { button, pressed: true, presses: 0 });
    for (const payload of this.#pointers.down) add("pointer", { ...payload, phase: "start" });
    for (const payload of this.#touches.down) add("touch", { ...payload, phase: "start" });
    for (const pad of this.#gamepads) if (pad.payload !== undefined) add("gamepad_state", pad.payload);
    if (this.#wheel.payload !== undefined) add("wheel_state", this.#wheel.payload);
    for (const [name, value] of this.#axes.values) add("axis_set", { name, value });
    if (this.#actions.held.length > 0) add("action_set", { actions: this.#actions.held, pressed: [] });
    return events;
  }

  /**
   * Releases everything; gives the events that say so, `focus` with false last unless its loss has been told already. The
   * counts of cumulative states go on, so that the next one restores what is held without counting a press.
   */
  releaseAll(timestampSeconds: number, source?: string, reason?: string): readonly UserInputEvent[] {
    const payload = reason === undefined ? { focused: false } : { focused: false, reason };
    return this.resolve(
      userInputEvent({ timestampSeconds, eventType: "focus", payload, ...(source === undefined ? {} : { source }) }),
    );
  }

  /** What is held, for `UserInputs.snapshot`; plain JSON, the same object while nothing changes. */
  snapshot(): Mapping {
    this.#snapshot ??= this.#makeSnapshot();
    return this.#snapshot;
  }

  /** Everything that is remembered, as plain JSON. */
  save(): InputTrackerState {
    return {
      keys: this.#keys.save(),
      mouse: this.#mouse.save(),
      pointers: this.#pointers.save(),
      touches: this.#touches.save(),
      gamepads: this.#gamepads.map((pad) => pad.save()),
      wheel: this.#wheel.save(),
      axes: this.#axes.save(),
      actions: this.#actions.save(),
      ...(this.#focused === undefined ? {} : { focused: this.#focused }),
    };
  }

  /** Another tracker that holds the same. */
  clone(): InputTracker {
    return new InputTracker(this.save());
  }

  #resolve(event: UserInputEvent): readonly UserInputEvent[] {
    switch (event.eventType) {
      case "key_down":
        return this.#keyDown(event);
      case "key_up":
        return this.#passIf(event, this.#keys.release(payloadOf(event, "key_up").code));
      case "keys_state": {
        const { codes, pressCounts, epoch, sequence } = payloadOf(event, "keys_state");
        const verdict = this.#keys.order.accept(epoch, sequence);
        if (verdict === "stale") return this.#stale();
        const message = { codes, pressCounts: Object.entries(pressCounts), newEpoch: verdict === "new_epoch" };
        return this.#keys.apply(message).map((edge) => keyEvent(event, edge));
      }
      case "mouse_button": {
        const { button, pressed, presses } = payloadOf(event, "mouse_button");
        const { buttons } = this.#mouse;
        return this.#passIf(event, pressed ? buttons.press(button, presses) !== false : buttons.release(button));
      }
      case "mouse_state":
        return this.#mouseState(event);
      case "pointer":
        return passAll(event, this.#pointers.apply(payloadOf(event, "pointer")));
      case "touch":
        return passAll(event, this.#touches.apply(payloadOf(event, "touch")));
      case "gamepad_state": {
        const payload = payloadOf(event, "gamepad_state");
        return this.#padState(event, this.#gamepads[payload.index ?? 0], payload);
      }
      case "wheel_state":
        return this.#padState(event, this.#wheel, payloadOf(event, "wheel_state"));
      case "axis_set":
        return passAll(event, this.#axes.apply(payloadOf(event, "axis_set")));
      case "action_set":
        return passOne(event, this.#actions.apply(payloadOf(event, "action_set")));
      case "focus":
        return this.#focus(event);
      default:
        return [event];
    }
  }

  #keyDown(event: UserInputEvent): readonly UserInputEvent[] {
    const { code, presses } = payloadOf(event, "key_down");
    const outcome = this.#keys.press(code, presses);
    if (typeof outcome === "boolean") return this.#passIf(event, outcome);
    return [madeEvent(event, "key_up", { code: outcome.released }), event];
  }

  #mouseState(event: UserInputEvent): readonly UserInputEvent[] {
    const change = this.#mouse.apply(payloadOf(event, "mouse_state"));
    if (change === undefined) return this.#stale();
    const [deltaX, deltaY, wheelX, wheelY] = change.deltas;
    const events: UserInputEvent[] = [];
    if (deltaX !== 0 || deltaY !== 0) events.push(madeEvent(event, "mouse_move", { deltaX, deltaY }));
    if (wheelX !== 0 || wheelY !== 0) events.push(madeEvent(event, "mouse_wheel", { deltaX: wheelX, deltaY: wheelY }));
    for (const edge of change.edges) events.push(buttonEvent(event, edge));
    return events;
  }

  #padState(event: UserInputEvent, pad: HeldPad, payload: PadPayload): readonly UserInputEvent[] {
    const verdict = payload.epoch === undefined ? "next" : pad.order.accept(payload.epoch, payload.sequence);
    if (verdict === "stale") return this.#stale();
    return passOne(event, pad.apply(payload, verdict === "new_epoch"));
  }

  #focus(event: UserInputEvent): readonly UserInputEvent[] {
    const { focused } = payloadOf(event, "focus");
    const isNew = focused !== this.#focused;
    this.#focused = focused;
    const events: UserInputEvent[] = [];
    if (!focused) {
      for (const code of this.#keys.clear()) events.push(madeEvent(event, "key_up", { code }));
      for (const button of this.#mouse.buttons.clear())
        events.push(madeEvent(event, "mouse_button", { button, pressed: false }));
      for (const payload of this.#pointers.clear()) events.push(madeEvent(event, "pointer", payload));
      for (const payload of this.#touches.clear()) events.push(madeEvent(event, "touch", payload));
      for (const pad of this.#gamepads) events.push(...releasedPad(event, "gamepad_state", pad));
      events.push(...releasedPad(event, "wheel_state", this.#wheel));
      for (const payload of this.#axes.clear()) events.push(madeEvent(event, "axis_set", payload));
      const actions = this.#actions.clear();
      if (actions !== undefined) events.push(madeEvent(event, "action_set", actions));
    }
    if (isNew) events.push(event);
    return events;
  }

  #passIf(event: UserInputEvent, isNew: boolean): readonly UserInputEvent[] {
    if (isNew) return [event];
    this.#repeats += 1;
    return NO_EVENTS;
  }

  #stale(): readonly UserInputEvent[] {
    this.#staleStates += 1;
    return NO_EVENTS;
  }

  #makeSnapshot(): Mapping {
    const gamepads = this.#gamepads.flatMap((pad) => pad.payload ?? []);
    const pointers = [...this.#pointers.down].map(whereDown);
    const touches = [...this.#touches.down].map(whereDown);
    return Object.freeze({
      heldCodes: Object.freeze([...this.#keys.held]),
      heldButtons: Object.freeze([...this.#mouse.buttons.held]),
      ...(pointers.length === 0 ? {} : { pointers: Object.freeze(pointers) }),
      ...(touches.length === 0 ? {} : { touches: Object.freeze(touches) }),
      ...(gamepads.length === 0 ? {} : { gamepads: Object.freeze(gamepads) }),
      ...(this.#wheel.payload === undefined ? {} : { wheel: this.#wheel.payload }),
      ...(this.#axes.values.size === 0 ? {} : { axes: Object.freeze(Object.fromEntries(this.#axes.values)) }),
      ...(this.#actions.held.length === 0 ? {} : { actions: this.#actions.held }),
      ...(this.#focused === undefined ? {} : { focused: this.#focused }),
    });
  }
}

function releasedPad(event: UserInputEvent, eventType: string, pad: HeldPad): readonly UserInputEvent[] {
  const payload = pad.release();
  return payload === undefined ? NO_EVENTS : [madeEvent(event, eventType, payload)];
}

/** A pointer that is down, without the phase of its last event. */
function whereDown({ phase: _phase, ...place }: PointerPayload): Omit<PointerPayload, "phase"> {
  return Object.freeze(place);
}
