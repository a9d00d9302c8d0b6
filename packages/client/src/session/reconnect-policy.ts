import { isDreamloopError } from "@dreamloop/core";

/** How reconnects are spread. */
export interface ReconnectOptions {
  /** Wait before the second attempt, in milliseconds; it doubles with each further one. Default 250. */
  readonly firstDelayMilliseconds?: number;
  /** Longest wait in milliseconds. Default 5000. */
  readonly longestDelayMilliseconds?: number;
  /** Attempts in a row before it gives up. Default 12. */
  readonly maxAttempts?: number;
}

/** What to do after a failure. */
export type ReconnectDecision =
  | { readonly action: "retry"; readonly delayMilliseconds: number }
  | { readonly action: "give_up"; readonly reason: "not_retryable" | "attempts" };

/** Decides whether and when a lost connection is tried again: only after errors that are marked retryable, with growing, spread waits and a cap. Pure. */
export class ReconnectPolicy {
  readonly #first: number;
  readonly #longest: number;
  readonly #maxAttempts: number;
  readonly #random: () => number;
  #attempts = 0;

  /** `random` gives numbers from 0 to below 1. */
  constructor(random: () => number, options: ReconnectOptions = {}) {
    this.#first = options.firstDelayMilliseconds ?? 250;
    this.#longest = options.longestDelayMilliseconds ?? 5000;
    this.#maxAttempts = options.maxAttempts ?? 12;
    this.#random = random;
  }

  /** Attempts since the last success. */
  get attempts(): number {
    return this.#attempts;
  }

  /** An attempt failed, or the link was lost. The first retry comes at once; a wait that the server names is kept. */
  failed(error: unknown): ReconnectDecision {
    if (!isDreamloopError(error) || !error.retryable) return { action: "give_up", reason: "not_retryable" };
    if (this.#attempts >= this.#maxAttempts) return { action: "give_up", reason: "attempts" };
    const { retryAfterSeconds } = error.details;
    const named = typeof retryAfterSeconds === "number" ? retryAfterSeconds * 1000 : 0;
    const grown = this.#attempts === 0 ? 0 : Math.min(this.#longest, this.#first * 2 ** (this.#attempts - 1));
    this.#attempts += 1;
    const spread = grown * (0.5 + this.#random() / 2);
    return { action: "retry", delayMilliseconds: Math.max(named, spread) };
  }

  /** The connection stands again. */
  succeeded(): void {
    this.#attempts = 0;
  }
}
