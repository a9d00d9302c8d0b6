/** Sums of many small shares may miss a whole token by a rounding error. */
const TOLERANCE = 1e-6;

/** A bound on how often something may happen: `burst` at once, `perSecond` in the long run. Pure: time is an argument. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  #seconds: number | undefined;

  /** Starts full. */
  constructor(options: { readonly perSecond: number; readonly burst: number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#tokens = options.burst;
  }

  /** Takes a token; false when there is none. */
  take(nowSeconds: number): boolean {
    this.#fill(nowSeconds);
    if (this.#tokens < 1 - TOLERANCE) return false;
    this.#tokens = Math.max(0, this.#tokens - 1);
    return true;
  }

  /** When there will be a token, in seconds of the same clock; now or before when there is one. */
  readyAtSeconds(nowSeconds: number): number {
    this.#fill(nowSeconds);
    return nowSeconds + Math.max(0, 1 - this.#tokens) / this.#perSecond;
  }

  /** Whether it is full, so that a new one would behave the same. */
  isFull(nowSeconds: number): boolean {
    this.#fill(nowSeconds);
    return this.#tokens >= this.#burst;
  }

  #fill(nowSeconds: number): void {
    const elapsed = Math.max(0, nowSeconds - (this.#seconds ?? nowSeconds));
    this.#seconds = nowSeconds;
    this.#tokens = Math.min(this.#burst, this.#tokens + elapsed * this.#perSecond);
  }
}
