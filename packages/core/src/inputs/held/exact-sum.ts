/**
 * More partial sums than this are joined again. Each that is left is then at most half a unit in the last place of the one before, so that the
 * whole range of doubles fits into 40.
 */
const MAX_PARTIALS = 40;

/**
 * A sum without any rounding: an expansion of doubles that do not overlap (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997).
 * What is taken out is the exact sum, rounded once; the rest stays and counts with the next.
 */
export class ExactSum {
  /** Parts that add up to the sum, without zeros, the smallest first. */
  #partials: number[] = [];

  /** Starts at the sum of `parts`; default 0. */
  constructor(...parts: readonly number[]) {
    for (const part of parts) this.add(part);
  }

  /** Adds one finite number. */
  add(value: number): void {
    const partials = this.#partials;
    let rest = value;
    let kept = 0;
    for (const partial of partials) {
      const sum = rest + partial;
      const error = errorOfSum(rest, partial, sum);
      if (error !== 0) partials[kept++] = error;
      rest = sum;
    }
    partials.length = kept;
    if (rest !== 0) partials.push(rest);
    if (partials.length > MAX_PARTIALS) this.#partials = joined(partials);
  }

  /** The sum, rounded to the nearest double, ties to even; what rounding leaves stays. */
  take(): number {
    const taken = rounded(this.#partials);
    if (taken !== 0) this.add(-taken);
    return taken;
  }

  /** Numbers that add up to the sum, for the constructor. */
  save(): readonly number[] {
    return [...this.#partials];
  }
}

/** The exact difference between `left + right` and its rounded value `sum` (Knuth's error-free addition). */
function errorOfSum(left: number, right: number, sum: number): number {
  const rightPart = sum - left;
  return left - (sum - rightPart) + (right - rightPart);
}

/** The sum of an expansion, rounded once. */
function rounded(partials: readonly number[]): number {
  let at = partials.length - 1;
  if (at < 0) return 0;
  let sum = partials[at];
  let error = 0;
  while (at > 0 && error === 0) {
    at -= 1;
    const next = sum + partials[at];
    error = partials[at] - (next - sum);
    sum = next;
  }
  // Half-way cases round by the first part beyond the error that says on which side of the half the sum lies.
  if (at > 0 && error !== 0 && Math.sign(error) === Math.sign(partials[at - 1])) {
    const doubled = error * 2;
    const other = sum + doubled;
    if (other - sum === doubled) return other;
  }
  return sum;
}

/** The same expansion in as few parts as possible. */
function joined(partials: readonly number[]): number[] {
  const parts: number[] = [];
  let sum = partials[partials.length - 1];
  for (let at = partials.length - 2; at >= 0; at -= 1) {
    const next = sum + partials[at];
    const error = partials[at] - (next - sum);
    if (error === 0) sum = next;
    else {
      parts.unshift(next);
      sum = error;
    }
  }
  return [sum, ...parts].filter((part) => part !== 0);
}
