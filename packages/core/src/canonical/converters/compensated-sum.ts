/** A sum that carries the rounding error of each addition along (Neumaier, 1974), so that the order and number of summands do not show. */
export class CompensatedSum {
  #sum = 0;
  #error = 0;

  /** Adds one summand. */
  add(value: number): void {
    const sum = this.#sum + value;
    this.#error += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  /** The sum so far. */
  get value(): number {
    return this.#sum + this.#error;
  }
}
