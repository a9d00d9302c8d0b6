import type { ActionSetPayload, AxisSetPayload } from "../catalogue/action-events.ts";

/** Greatest number of named axes that are away from 0 at once. */
export const MAX_AXES = 64;

/** Named axes that are away from 0. */
export class HeldAxes {
  readonly #values: Map<string, number>;

  /** Continues from what `save()` gave. */
  constructor(state: readonly (readonly [string, number])[] = []) {
    this.#values = new Map(state);
  }

  /** Names and values, without those at 0. */
  get values(): ReadonlyMap<string, number> {
    return this.#values;
  }

  /** Takes over an event; gives the payloads to pass on: none when nothing changes, one more when one too many axes are away from 0. */
  apply(payload: AxisSetPayload): readonly AxisSetPayload[] {
    const before = this.#values.get(payload.name);
    if ((before ?? 0) === payload.value) return [];
    if (payload.value === 0) {
      this.#values.delete(payload.name);
      return [payload];
    }
    const rested = before === undefined && this.#values.size >= MAX_AXES ? this.#restFirst() : [];
    this.#values.set(payload.name, payload.value);
    return [...rested, payload];
  }

  /** Puts all axes at 0; gives the payloads that say so. */
  clear(): AxisSetPayload[] {
    const rested = [...this.#values.keys()].map((name) => Object.freeze({ name, value: 0 }));
    this.#values.clear();
    return rested;
  }

  /** What is remembered, as plain JSON. */
  save(): readonly (readonly [string, number])[] {
    return [...this.#values];
  }

  #restFirst(): AxisSetPayload[] {
    for (const name of this.#values.keys()) {
      this.#values.delete(name);
      return [Object.freeze({ name, value: 0 })];
    }
    return [];
  }
}

/** Named actions that are held. */
export class HeldActions {
  #held: readonly string[];

  /** Continues from what `save()` gave. */
  constructor(state: readonly string[] = []) {
    this.#held = state;
  }

  /** Names of held actions. */
  get held(): readonly string[] {
    return this.#held;
  }

  /** Takes over an event; gives the payload to pass on, with its `pressed` found when it was absent, or nothing when nothing changes. */
  apply(payload: ActionSetPayload): ActionSetPayload | undefined {
    const before = this.#held;
    const actions = payload.actions;
    const pressed = payload.pressed ?? Object.freeze(actions.filter((name) => !before.includes(name)));
    this.#held = actions;
    const isSame = before.length === actions.length && before.every((name) => actions.includes(name));
    if (isSame && pressed.length === 0) return undefined;
    return payload.pressed === undefined ? Object.freeze({ ...payload, pressed }) : payload;
  }

  /** Ends all actions; gives the payload that says so, or nothing when none is held. */
  clear(): ActionSetPayload | undefined {
    if (this.#held.length === 0) return undefined;
    this.#held = Object.freeze([]);
    return Object.freeze({ actions: this.#held, pressed: Object.freeze([]) });
  }

  /** What is remembered, as plain JSON. */
  save(): readonly string[] {
    return this.#held;
  }
}
