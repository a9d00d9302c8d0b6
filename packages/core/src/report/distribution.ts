/** A distribution of values, in their own unit. */
export interface Distribution {
  /** How many values. */
  readonly count: number;
  /** Their mean. */
  readonly mean: number;
  /** The least. */
  readonly min: number;
  /** The median. */
  readonly p50: number;
  /** Nineteen of twenty are at most this. */
  readonly p95: number;
  /** Ninety-nine of a hundred are at most this. */
  readonly p99: number;
  /** The greatest. */
  readonly max: number;
}

/** Summarises values; percentiles are interpolated linearly between order statistics (Hyndman and Fan 1996, type 7). `undefined` without values. */
export function summarize(values: readonly number[]): Distribution | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const at = (fraction: number): number => {
    const position = (sorted.length - 1) * fraction;
    const below = Math.floor(position);
    const low = sorted[below];
    const high = sorted[Math.min(below + 1, sorted.length - 1)];
    return low + (high - low) * (position - below);
  };
  let sum = 0;
  for (const value of sorted) sum += value;
  return {
    count: sorted.length,
    mean: sum / sorted.length,
    min: at(0),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    max: at(1),
  };
}
