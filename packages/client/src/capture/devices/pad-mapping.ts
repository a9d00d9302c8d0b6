import type { PadReading } from "../../input/input-state.ts";

/** Where one control of the standard mapping is on a gamepad that has another one: a raw button, or a stretch of a raw axis. */
export interface PadSource {
  /** Number of the raw button; absent: an axis. */
  readonly button?: number;
  /** Number of the raw axis; absent: a button. */
  readonly axis?: number;
  /** Value of the axis at rest; default 0. Triggers that are axes often rest at −1. */
  readonly rest?: number;
  /** Value of the axis when the control is fully on, for a stick fully to the right or down; default 1. */
  readonly full?: number;
}

/** How the raw controls of a gamepad become those of the standard mapping. Plain JSON, so that a page can keep it. */
export interface PadMapping {
  /** Sources by the number of the standard button: 0 is the lowest of the four, 7 the right trigger. */
  readonly buttons: Readonly<Record<number, PadSource>>;
  /** Sources by the number of the standard axis: 0 and 1 are the left stick, 2 and 3 the right one. */
  readonly axes: Readonly<Record<number, PadSource>>;
}

/** What is known of a gamepad when it appears. */
export interface PadFacts {
  /** The browser's name of it. */
  readonly id: string;
  /** What the browser says of its mapping: `standard`, or an empty text. */
  readonly mapping: string;
  /** Number of its raw axes. */
  readonly axisCount: number;
  /** Number of its raw buttons. */
  readonly buttonCount: number;
}

/** Buttons of the standard mapping. */
const STANDARD_BUTTONS = 17;
/** Axes of the standard mapping. */
const STANDARD_AXES = 4;

/** The directional pad as two raw axes, as Linux has it. */
function hat(horizontal: number, vertical: number): Readonly<Record<number, PadSource>> {
  return {
    12: { axis: vertical, full: -1 },
    13: { axis: vertical, full: 1 },
    14: { axis: horizontal, full: -1 },
    15: { axis: horizontal, full: 1 },
  };
}

function trigger(axis: number): PadSource {
  return { axis, rest: -1, full: 1 };
}

function inOrder(buttons: readonly (number | undefined)[]): Readonly<Record<number, PadSource>> {
  return Object.fromEntries(
    buttons.flatMap((standard, raw) => (standard === undefined ? [] : [[standard, { button: raw }]])),
  );
}

const STICKS_AROUND_TRIGGERS: PadMapping["axes"] = { 0: { axis: 0 }, 1: { axis: 1 }, 2: { axis: 3 }, 3: { axis: 4 } };

/**
 * Gamepads that browsers give without the standard mapping although what they have is known: those of the Linux kernel's own drivers in Firefox,
 * whose axes and buttons come in the order of the kernel's codes.
 */
const KNOWN_PADS: readonly (Omit<PadFacts, "id" | "mapping"> & { readonly id: RegExp; readonly to: PadMapping })[] = [
  {
    id: /^045e-|x-?box/i,
    axisCount: 8,
    buttonCount: 11,
    to: {
      buttons: { ...inOrder([0, 1, 2, 3, 4, 5, 8, 9, 16, 10, 11]), 6: trigger(2), 7: trigger(5), ...hat(6, 7) },
      axes: STICKS_AROUND_TRIGGERS,
    },
  },
  {
    id: /^054c-|dualsense|dualshock|sony.*(wireless )?controller/i,
    axisCount: 8,
    buttonCount: 13,
    to: {
      buttons: {
        ...inOrder([0, 1, 3, 2, 4, 5, undefined, undefined, 8, 9, 16, 10, 11]),
        6: trigger(2),
        7: trigger(5),
        ...hat(6, 7),
      },
      axes: STICKS_AROUND_TRIGGERS,
    },
  },
  {
    id: /^057e-|nintendo.*pro controller/i,
    axisCount: 6,
    buttonCount: 14,
    to: {
      buttons: { ...inOrder([0, 1, 3, 2, undefined, 4, 5, 6, 7, 8, 9, 16, 10, 11]), ...hat(4, 5) },
      axes: { 0: { axis: 0 }, 1: { axis: 1 }, 2: { axis: 2 }, 3: { axis: 3 } },
    },
  },
];

/** The mapping of a gamepad that has another one than the standard, `standard` where it has that, `undefined` when nobody knows. */
export function padMappingFor(facts: PadFacts): PadMapping | "standard" | undefined {
  if (facts.mapping === "standard") return "standard";
  const { id, axisCount, buttonCount } = facts;
  return KNOWN_PADS.find((pad) => pad.id.test(id) && pad.axisCount === axisCount && pad.buttonCount === buttonCount)
    ?.to;
}

/** Turns raw readings of a gamepad into readings of the standard mapping. */
export class PadMapper {
  readonly #mapping: PadMapping;
  readonly #moved = new Set<number>();

  /** With the sources of `mapping`. */
  constructor(mapping: PadMapping) {
    this.#mapping = mapping;
  }

  /** The reading as a gamepad of the standard mapping would give it. */
  map(raw: PadReading): PadReading {
    const { buttons, axes } = this.#mapping;
    const at = (source: PadSource | undefined): number => (source === undefined ? 0 : this.#level(raw, source));
    return {
      axes: Array.from({ length: STANDARD_AXES }, (_, index) => clamp(at(axes[index]), -1)),
      buttons: Array.from({ length: STANDARD_BUTTONS }, (_, index) => clamp(at(buttons[index]), 0)),
    };
  }

  #level({ axes, buttons }: PadReading, { button, axis, rest = 0, full = 1 }: PadSource): number {
    if (button !== undefined) return buttons[button] ?? 0;
    if (axis === undefined || full === rest) return 0;
    const value = axes[axis] ?? rest;
    // Until it has moved, a browser may report 0 for an axis that rests elsewhere.
    if (value !== 0) this.#moved.add(axis);
    return this.#moved.has(axis) || rest === 0 ? (value - rest) / (full - rest) : 0;
  }
}

/** How far a raw control has to go before it counts as the one that the person means. */
const LEARN_TRAVEL = 0.5;

/** Finds the raw control that a person moves, from readings that follow one at rest. */
export class PadLearner {
  readonly #rest: PadReading;

  /** `rest` is a reading with everything let go of. */
  constructor(rest: PadReading) {
    this.#rest = rest;
  }

  /** The control that has moved furthest, once it has moved far; `undefined` until then. */
  read({ axes, buttons }: PadReading): PadSource | undefined {
    const moved = [
      ...buttons.map((value, button) => {
        return { source: { button }, travel: Math.abs(value - (this.#rest.buttons[button] ?? 0)) };
      }),
      ...axes.map((value, axis) => {
        const rest = this.#rest.axes[axis] ?? 0;
        // What rests at one end goes to the other; what rests in the middle goes to the end that it moves to.
        const source: PadSource = { axis, rest: nearest(rest, [-1, 0, 1]), full: value > rest ? 1 : -1 };
        return { source, travel: Math.abs(value - rest) };
      }),
    ];
    const furthest = moved.reduce<(typeof moved)[number] | undefined>(
      (best, each) => (best === undefined || each.travel > best.travel ? each : best),
      undefined,
    );
    return furthest !== undefined && furthest.travel >= LEARN_TRAVEL ? furthest.source : undefined;
  }
}

function nearest(value: number, places: readonly number[]): number {
  return places.reduce((best, place) => (Math.abs(place - value) < Math.abs(best - value) ? place : best));
}

function clamp(value: number, least: number): number {
  return Math.round(Math.min(1, Math.max(least, value)) * 1000) / 1000;
}
