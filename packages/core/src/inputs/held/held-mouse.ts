import type { MouseStatePayload } from "../catalogue/mouse-events.ts";
import { MAX_MOUSE_BUTTON } from "../catalogue/mouse-events.ts";
import { ExactSum } from "./exact-sum.ts";
import { HeldCodes, type HeldCodesState } from "./held-codes.ts";
import type { Edge } from "./transitions.ts";

/** What `HeldMouse` remembers, as plain JSON. */
export interface HeldMouseState {
  /** Buttons. */
  readonly buttons: HeldCodesState<number>;
  /** Totals of the epoch that have been seen, each followed by the parts of what rounding has left to tell. */
  readonly totals: readonly (readonly number[])[];
}

/** What a `mouse_state` says that was not known. */
export interface MouseChange {
  /** Movement and wheel movement: x, y, wheel x, wheel y. */
  readonly deltas: readonly [number, number, number, number];
  /** Edges of buttons. */
  readonly edges: readonly Edge<number>[];
}

/** A mouse: its held buttons, and what of its cumulative movement has been told. */
export class HeldMouse {
  /** The buttons. */
  readonly buttons: HeldCodes<number>;
  readonly #totals: RunningTotal[];

  /** Continues from what `save()` gave. */
  constructor(state?: HeldMouseState) {
    this.buttons = new HeldCodes<number>(MAX_MOUSE_BUTTON + 1, state?.buttons);
    this.#totals = [0, 1, 2, 3].map((index) => new RunningTotal(...(state?.totals[index] ?? [0])));
  }

  /** Takes over a state message; nothing when it is stale. */
  apply(message: MouseStatePayload): MouseChange | undefined {
    const verdict = this.buttons.order.accept(message.epoch, message.sequence);
    if (verdict === "stale") return undefined;
    const newEpoch = verdict === "new_epoch";
    const [x, y, wheelX, wheelY] = this.#totals as [RunningTotal, RunningTotal, RunningTotal, RunningTotal];
    if (newEpoch) for (const total of this.#totals) total.restart();
    const pressCounts = Object.entries(message.pressCounts).map(([name, count]) => [Number(name), count] as const);
    return {
      deltas: [
        x.advance(message.totalX),
        y.advance(message.totalY),
        wheelX.advance(message.wheelX),
        wheelY.advance(message.wheelY),
      ],
      edges: this.buttons.apply({ codes: message.buttons, pressCounts, newEpoch }),
    };
  }

  /** What is remembered, as plain JSON. */
  save(): HeldMouseState {
    return { buttons: this.buttons.save(), totals: this.#totals.map((total) => total.save()) };
  }
}

/** Turns a running total into differences that add up to it. */
class RunningTotal {
  #seen: number;
  readonly #untold: ExactSum;

  constructor(seen = 0, ...untold: readonly number[]) {
    this.#seen = seen;
    this.#untold = new ExactSum(...untold);
  }

  restart(): void {
    this.#seen = 0;
  }

  advance(total: number): number {
    if (total === this.#seen) return 0;
    this.#untold.add(total);
    this.#untold.add(-this.#seen);
    this.#seen = total;
    return this.#untold.take();
  }

  save(): readonly number[] {
    return [this.#seen, ...this.#untold.save()];
  }
}
