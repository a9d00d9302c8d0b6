/** How far back a rate looks, in milliseconds. */
const WINDOW_MILLISECONDS = 2_000;
/** Times that are kept; enough for 240 a second. */
const MAX_TIMES = 512;

/** Events a second over the last two seconds. Pure: times come in. */
export class RateMeter {
  readonly #times: number[] = [];

  /** An event happened. */
  add(now: number): void {
    this.#times.push(now);
    if (this.#times.length > MAX_TIMES) this.#times.shift();
  }

  /** Events a second; 0 before the second event and when all are too old. */
  perSecond(now: number): number {
    while (this.#times.length > 0 && now - this.#times[0] > WINDOW_MILLISECONDS) this.#times.shift();
    const first = this.#times[0];
    if (first === undefined || this.#times.length < 2) return 0;
    // Measured up to now, so that the rate falls when events stop; up to the last event while they come.
    const last = this.#times[this.#times.length - 1];
    const interval = (last - first) / (this.#times.length - 1);
    const span = now - last > 2 * interval ? now - first : last - first;
    return span <= 0 ? 0 : ((this.#times.length - 1) * 1000) / span;
  }

  /** Forgets everything. */
  clear(): void {
    this.#times.length = 0;
  }
}
