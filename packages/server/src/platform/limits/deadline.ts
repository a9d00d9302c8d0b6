import type { Clock } from "@dreamloop/core";

/** Something that happens after a time unless it is called off; at most one is pending. */
export class Deadline {
  readonly #clock: Clock;
  #pending: AbortController | undefined;

  /** Nothing is pending at first. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether something is pending. */
  get isPending(): boolean {
    return this.#pending !== undefined;
  }

  /** Lets `then` be called after `seconds`, in place of what was pending. */
  set(seconds: number, then: () => void): void {
    this.clear();
    const pending = new AbortController();
    this.#pending = pending;
    void this.#clock.sleepUntil(this.#clock.nowSeconds() + seconds, pending.signal).then(() => {
      if (pending.signal.aborted) return;
      this.#pending = undefined;
      then();
    });
  }

  /** Calls off what is pending. */
  clear(): void {
    this.#pending?.abort();
    this.#pending = undefined;
  }
}
