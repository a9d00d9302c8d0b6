import { summarize } from "@dreamloop/core";

/** Values that are looked at: three seconds at 30 a second. */
const CAPACITY = 90;

/** The median of the newest values. */
export class RecentMedian {
  readonly #values: number[] = [];
  #next = 0;

  /** Adds a value, in place of the oldest one when there are many. */
  note(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % CAPACITY;
  }

  /** The median; 0 before the first value. */
  get value(): number {
    return this.#values.length === 0 ? 0 : (summarize(this.#values)?.p50 ?? 0);
  }
}
