/**
 * A sum in double-double arithmetic (Knuth's error-free addition), so that any number of movements adds up to within one rounding.
 * What is taken out is the rounded sum; the rest stays and counts with the next.
 */
export class ExactSum {
  #high: number;
  #low: number;

  /** Starts at `high + low`; default 0. */
  constructor(high = 0, low = 0) {
    this.#high = high;
    this.#low = low;
  }

  /** Adds one number. */
  add(value: number): void {
    const sum = this.#high + value;
    const low = this.#low + errorOfSum(this.#high, value, sum);
    this.#high = sum + low;
    this.#low = errorOfSum(sum, low, this.#high);
  }

  /** The rounded sum; what rounding leaves stays. */
  take(): number {
    const taken = this.#high;
    this.#high = this.#low;
    this.#low = 0;
    return taken === 0 ? 0 : taken;
  }

  /** The sum as two numbers that add up to it, for the constructor. */
  save(): readonly [number, number] {
    return [this.#high, this.#low];
  }
}

/** The exact difference between `left + right` and its rounded value `sum`. */
function errorOfSum(left: number, right: number, sum: number): number {
  const rightPart = sum - left;
  return left - (sum - rightPart) + (right - rightPart);
}
