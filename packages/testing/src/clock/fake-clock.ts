import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { eventLoopTurn, finite, refuseUnknownKeys, withDefault } from "@dreamloop/core/internal";

interface Sleeper {
  readonly timeSeconds: number;
  readonly wake: () => void;
}

/** How far `FakeClock.advanceUntil` goes before it gives up. */
export interface AdvanceUntilOptions {
  /** Greatest stretch of fake time in seconds; default 3600. */
  readonly limitSeconds?: number;
}

/** Fake seconds that `FakeClock.advanceUntil` covers before it gives up. */
export const DEFAULT_ADVANCE_LIMIT_SECONDS = 3600;

const seconds = finite({ min: 0 });

/**
 * A clock that moves only when a test says so. Sleepers wake in the order of their times, equal times in the order in which
 * they went to sleep, and everything that one of them sets off has happened before the next one wakes.
 */
export class FakeClock implements Clock {
  #nowSeconds: number;
  #sleepers: Sleeper[] = [];

  /** `startSeconds` is the first reading; default 0. */
  constructor(options: { readonly startSeconds?: number } = {}) {
    refuseUnknownKeys(options, ["startSeconds"], "FakeClock");
    this.#nowSeconds = withDefault(seconds, 0)(options.startSeconds, "FakeClock.startSeconds");
  }

  /** How many sleepers wait. */
  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  /** The time at which the next sleeper wakes, or nothing when none waits. */
  get nextWakeSeconds(): number | undefined {
    return this.#sleepers[0]?.timeSeconds;
  }

  /** The fake time in seconds. */
  nowSeconds(): number {
    return this.#nowSeconds;
  }

  /** Waits for the fake time, or for `signal`; never rejects and never resolves synchronously. */
  sleepUntil(timeSeconds: number, signal?: AbortSignal): Promise<void> {
    if (!(timeSeconds > this.#nowSeconds) || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      };
      const sleeper = { timeSeconds, wake };
      signal?.addEventListener("abort", wake);
      const after = this.#sleepers.findIndex((other) => other.timeSeconds > timeSeconds);
      this.#sleepers.splice(after < 0 ? this.#sleepers.length : after, 0, sleeper);
    });
  }

  /** Lets everything run that is ready now; no time passes. */
  async settle(): Promise<void> {
    await eventLoopTurn();
  }

  /** Moves on by a duration, waking sleepers at their own times; resolves when everything that was set off has run. */
  async advance(durationSeconds: number): Promise<void> {
    await this.advanceTo(this.#nowSeconds + seconds(durationSeconds, "FakeClock.advance(durationSeconds)"));
  }

  /** Moves on to a time, which must not be in the past. */
  async advanceTo(timeSeconds: number): Promise<void> {
    finite({ min: this.#nowSeconds })(timeSeconds, "FakeClock.advanceTo(timeSeconds)");
    await eventLoopTurn();
    while (await this.#wakeNext(timeSeconds)) continue;
    this.#nowSeconds = Math.max(this.#nowSeconds, timeSeconds);
    await eventLoopTurn();
  }

  /**
   * Moves from sleeper to sleeper until `condition` holds. Throws `invalid_state` when nobody sleeps any more or the limit is
   * reached, so that a test that waits in vain ends with a reason.
   */
  async advanceUntil(condition: () => boolean, options: AdvanceUntilOptions = {}): Promise<void> {
    const limitSeconds =
      this.#nowSeconds +
      withDefault(seconds, DEFAULT_ADVANCE_LIMIT_SECONDS)(options.limitSeconds, "FakeClock.advanceUntil.limitSeconds");
    await eventLoopTurn();
    while (!condition()) {
      if (await this.#wakeNext(limitSeconds)) continue;
      const reason =
        this.#sleepers.length === 0
          ? "nothing sleeps on this clock"
          : `the next sleeper wakes at ${this.nextWakeSeconds} s, after the limit`;
      throw new DreamloopError(
        ERROR_CODES.invalidState,
        `FakeClock.advanceUntil: the condition does not hold at ${this.#nowSeconds} s and ${reason}; check what the test waits for`,
      );
    }
  }

  /** Lets time pass without waking anybody, as when the thread is blocked; sleepers wake, late, at the next advance. */
  elapse(durationSeconds: number): void {
    this.#nowSeconds += seconds(durationSeconds, "FakeClock.elapse(durationSeconds)");
  }

  async #wakeNext(limitSeconds: number): Promise<boolean> {
    const next = this.#sleepers[0];
    if (next === undefined || next.timeSeconds > limitSeconds) return false;
    this.#nowSeconds = Math.max(this.#nowSeconds, next.timeSeconds);
    next.wake();
    await eventLoopTurn();
    return true;
  }
}
