/** What a `BitrateController` is made with; bits a second. */
export interface BitrateBounds {
  /** Never less. */
  readonly min: number;
  /** Where it begins. */
  readonly start: number;
  /** Never more. */
  readonly max: number;
}

/** Shortest time between two changes, in seconds: each costs a key frame. */
export const MIN_CHANGE_SECONDS = 3;
/** Shortest time before it goes up again, in seconds. */
const RAISE_SECONDS = 10;
/** Loss above which it goes down, and below which it may go up. */
const HIGH_LOSS = 0.1;
const LOW_LOSS = 0.02;
/** A change by less than this share is not worth a key frame. */
const LEAST_CHANGE = 0.15;

/**
 * Chooses the bitrate from what receivers report. An estimate of a receiver is bounded by what it was sent, so it only counts when it lies
 * below that; else a picture that needs few bits would talk itself down for ever. Pure: time is an argument.
 */
export class BitrateController {
  readonly #bounds: BitrateBounds;
  #target: number;
  #changedSeconds = -Infinity;
  #loss = 0;
  #estimate: number | undefined;

  /** Begins at `start`. */
  constructor(bounds: BitrateBounds) {
    this.#bounds = bounds;
    this.#target = bounds.start;
  }

  /** What the encoder should aim at, in bits a second. */
  get targetBitsPerSecond(): number {
    return this.#target;
  }

  /** Notes a report of a receiver. */
  report(report: { readonly fractionLost?: number; readonly estimatedBitsPerSecond?: number }): void {
    if (report.fractionLost !== undefined) this.#loss = Math.max(this.#loss, report.fractionLost);
    if (report.estimatedBitsPerSecond !== undefined) this.#estimate = report.estimatedBitsPerSecond;
  }

  /** Decides, about once a second; gives the new target when it has changed. `sentBitsPerSecond` is what went out lately. */
  decide(nowSeconds: number, sentBitsPerSecond: number): number | undefined {
    const sinceChange = nowSeconds - this.#changedSeconds;
    if (sinceChange < MIN_CHANGE_SECONDS) return undefined;
    const wanted = this.#wanted(sinceChange, sentBitsPerSecond);
    this.#loss = 0;
    const { min, max } = this.#bounds;
    const target = Math.round(Math.min(max, Math.max(min, wanted)));
    const isBound = target === min || target === max;
    if (target === this.#target) return undefined;
    if (!isBound && Math.abs(target - this.#target) < LEAST_CHANGE * this.#target) return undefined;
    this.#target = target;
    this.#changedSeconds = nowSeconds;
    this.#estimate = undefined;
    return target;
  }

  #wanted(sinceChange: number, sent: number): number {
    if (this.#loss > HIGH_LOSS) return Math.min(this.#target, Math.max(sent, this.#bounds.min)) * (1 - this.#loss / 2);
    if (this.#estimate !== undefined && this.#estimate < sent * 0.95) return this.#estimate * 0.9;
    const isClear = this.#loss < LOW_LOSS && (this.#estimate === undefined || this.#estimate > sent);
    if (isClear && sinceChange >= RAISE_SECONDS && this.#target < this.#bounds.start) return this.#target * 1.3;
    return this.#target;
  }
}
