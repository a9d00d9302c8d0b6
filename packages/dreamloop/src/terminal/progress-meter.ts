/** Seconds that the rate looks back. */
const WINDOW_SECONDS = 3;
/** Least time between two kept points, so that fast loops keep few. */
const POINT_SECONDS = 0.05;

interface Point {
  readonly seconds: number;
  readonly done: number;
}

/** Turns counts and times into a rate and the time left; for displays only. */
export class ProgressMeter {
  readonly #points: Point[] = [];

  /** Notes that `done` was reached at `nowSeconds`; both never go back. */
  note(done: number, nowSeconds: number): void {
    const last = this.#points.at(-1);
    if (last !== undefined && this.#points.length > 1 && nowSeconds - last.seconds < POINT_SECONDS) this.#points.pop();
    this.#points.push({ seconds: nowSeconds, done });
    while (this.#points.length > 2 && nowSeconds - this.#points[1].seconds >= WINDOW_SECONDS) {
      this.#points.shift();
    }
  }

  /** Units a second over the last seconds; `undefined` as long as nothing can be said. */
  get perSecond(): number | undefined {
    const first = this.#points[0];
    const last = this.#points.at(-1);
    if (first === undefined || last === undefined || last.seconds <= first.seconds) return undefined;
    return (last.done - first.done) / (last.seconds - first.seconds);
  }

  /** Seconds until `total` is reached at the present rate; `undefined` as long as nothing can be said. */
  secondsLeft(total: number): number | undefined {
    const rate = this.perSecond;
    const done = this.#points.at(-1)?.done ?? 0;
    return rate === undefined || rate <= 0 ? undefined : Math.max(0, total - done) / rate;
  }
}
