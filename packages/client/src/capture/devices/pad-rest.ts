import type { PadReading } from "../../input/input-state.ts";

/** Distance from its rest within which a stick or trigger counts as at rest, unless a page sets another. */
export const DEFAULT_PAD_DEAD_ZONE = 0.1;

/** A stick or trigger may rest this far from where it should: further out it is held. */
const GREATEST_DRIFT = 0.3;

/** Buttons of the standard mapping with a way to go. */
const TRIGGERS: ReadonlySet<number> = new Set([6, 7]);

/** Where each stick and trigger of one gamepad rests. */
export interface PadRestOptions {
  /** Distance from the rest that counts as rest, 0 to 0.9. */
  deadZone(): number;
}

/**
 * Takes the drift of worn sticks and triggers out of readings. Each one's place of rest is learnt while it has not been used: from the first
 * reading on, towards 0 only, so that a stick which is held gently is not taken for a worn one later. Beyond the dead zone around the rest, values grow from 0 to 1.
 */
export class PadRest {
  readonly #options: PadRestOptions;
  #controls = new Map<string, { rest: number; isUsed: boolean }>();

  /** With a dead zone that may change at any time. */
  constructor(options: PadRestOptions) {
    this.#options = options;
  }

  /** Where everything is now is its rest; to be called while the person has let go of everything. */
  calibrate(): void {
    this.#controls = new Map();
  }

  /** The reading without drift and without what is inside of the dead zone. */
  read({ axes, buttons }: PadReading): PadReading {
    return {
      axes: axes.map((value, index) => this.#value(`axis ${index}`, value)),
      buttons: buttons.map((value, index) =>
        TRIGGERS.has(index) ? Math.max(0, this.#value(`button ${index}`, value)) : value,
      ),
    };
  }

  #value(name: string, value: number): number {
    let control = this.#controls.get(name);
    if (control === undefined) {
      const isDrift = Math.abs(value) <= GREATEST_DRIFT;
      this.#controls.set(name, (control = { rest: isDrift ? value : 0, isUsed: !isDrift }));
    }
    if (!control.isUsed) {
      if (Math.abs(value - control.rest) > GREATEST_DRIFT) control.isUsed = true;
      else if (Math.abs(value) < Math.abs(control.rest)) control.rest = value;
    }
    const { rest } = control;
    const deadZone = this.#options.deadZone();
    const distance = Math.abs(value - rest);
    if (distance <= deadZone) return 0;
    const way = value > rest ? 1 - rest : 1 + rest;
    const level = Math.min(1, (distance - deadZone) / Math.max(0.01, way - deadZone));
    return Math.round(Math.sign(value - rest) * level * 1000) / 1000;
  }
}
