/** Limits of a `MessageBudget`. */
export interface MessageBudgetLimits {
  /** Units a second in the long run. */
  readonly unitsPerSecond: number;
  /** Units at once. */
  readonly burst: number;
}

/** Bytes that cost as much as a message itself. */
const UNIT_BYTES = 1024;
/** Far beyond what a player sends (250 messages of a few hundred bytes), far below what keeps a thread busy. */
const LIMITS: MessageBudgetLimits = { unitsPerSecond: 1000, burst: 500 };

/**
 * What one connection may have read: each message costs a unit and one for each KiB. What comes is never refused here; who sends more is in debt, and is
 * not to be read until it is paid off, so that a flood waits in the sender's own network. Pure: time is an argument.
 */
export class MessageBudget {
  readonly #limits: MessageBudgetLimits;
  #units: number;
  #seconds: number | undefined;

  /** Starts full. */
  constructor(limits: MessageBudgetLimits = LIMITS) {
    this.#limits = limits;
    this.#units = limits.burst;
  }

  /** Charges a message; gives the seconds for which nothing more is to be read, 0 while all is well. */
  charge(bytes: number, nowSeconds: number): number {
    this.#fill(nowSeconds);
    this.#units -= 1 + bytes / UNIT_BYTES;
    return this.#units >= 0 ? 0 : -this.#units / this.#limits.unitsPerSecond;
  }

  /** Charges a message if there is something left for it; false, and nothing charged, while there is not. For messages that may be lost. */
  allows(bytes: number, nowSeconds: number): boolean {
    this.#fill(nowSeconds);
    return this.#units >= 0 && this.charge(bytes, nowSeconds) >= 0;
  }

  #fill(nowSeconds: number): void {
    const { unitsPerSecond, burst } = this.#limits;
    const elapsed = Math.max(0, nowSeconds - (this.#seconds ?? nowSeconds));
    this.#seconds = nowSeconds;
    this.#units = Math.min(burst, this.#units + elapsed * unitsPerSecond);
  }
}
