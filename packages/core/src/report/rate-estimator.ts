/** Intervals that the estimate looks back. */
const WINDOW_INTERVALS = 30;
/** A gap above this and above five mean intervals is a pause or a stall, not a rate. */
const GAP_SECONDS = 0.5;
const GAP_FACTOR = 5;

/**
 * Estimates frames a second from whole steps: frames of a step over the time since the step before. Gaps above max(0.5 s, 5 × the mean
 * interval) are ignored, so that a pause does not drag the figure down. For displays only; nothing may be paced by it.
 */
export class RateEstimator {
  #lastSeconds: number | undefined;
  readonly #intervals: { readonly seconds: number; readonly frames: number }[] = [];

  /** Notes that a step of `frameCount` frames was complete at `nowSeconds`. */
  note(frameCount: number, nowSeconds: number): void {
    const last = this.#lastSeconds;
    this.#lastSeconds = nowSeconds;
    if (last === undefined) return;
    const seconds = nowSeconds - last;
    const mean = this.#meanSeconds();
    if (mean !== undefined && seconds > Math.max(GAP_SECONDS, GAP_FACTOR * mean)) return;
    this.#intervals.push({ seconds, frames: frameCount });
    if (this.#intervals.length > WINDOW_INTERVALS) this.#intervals.shift();
  }

  /** Frames a second over the last intervals, or `undefined` before the second step. */
  get framesPerSecond(): number | undefined {
    let seconds = 0;
    let frames = 0;
    for (const interval of this.#intervals) {
      seconds += interval.seconds;
      frames += interval.frames;
    }
    return seconds > 0 ? frames / seconds : undefined;
  }

  #meanSeconds(): number | undefined {
    if (this.#intervals.length === 0) return undefined;
    let sum = 0;
    for (const interval of this.#intervals) sum += interval.seconds;
    return sum / this.#intervals.length;
  }
}
