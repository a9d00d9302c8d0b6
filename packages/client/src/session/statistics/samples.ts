/** Percentiles of a set of samples. */
export interface Percentiles {
  /** Median. */
  readonly p50: number;
  /** 95th percentile. */
  readonly p95: number;
  /** Samples. */
  readonly count: number;
}

/** The newest samples of a quantity, as many as fit, none older than a while. Pure: times come in. */
export class Samples {
  readonly #capacity: number;
  readonly #maxAge: number;
  #entries: { readonly at: number; readonly value: number }[] = [];

  /** Keeps `capacity` samples of the last `maxAgeMilliseconds`. */
  constructor(options: { readonly capacity: number; readonly maxAgeMilliseconds: number }) {
    this.#capacity = options.capacity;
    this.#maxAge = options.maxAgeMilliseconds;
  }

  /** Values, the oldest first. */
  get values(): readonly number[] {
    return this.#entries.map(({ value }) => value);
  }

  /** A sample was taken. */
  add(now: number, value: number): void {
    this.#entries.push({ at: now, value });
    if (this.#entries.length > this.#capacity) this.#entries.shift();
  }

  /** Percentiles by nearest rank, of samples taken from `since` on; `undefined` without any. */
  percentiles(now: number, since = Number.NEGATIVE_INFINITY): Percentiles | undefined {
    this.#entries = this.#entries.filter(({ at }) => now - at <= this.#maxAge);
    const counted = this.#entries.filter(({ at }) => at >= since);
    if (counted.length === 0) return undefined;
    const sorted = counted.map(({ value }) => value).toSorted((left, right) => left - right);
    const rank = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    return { p50: rank(0.5), p95: rank(0.95), count: sorted.length };
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries = [];
  }
}
