import { HELD_STATE_INTERVAL_SECONDS } from "@dreamloop/protocol";

/** Shortest time between two messages, in milliseconds; well inside the server's rate limit. */
export const SHORTEST_INTERVAL_MILLISECONDS = 8;

/** Time between two messages while something is held; below the promised 100 ms, since timers are late. */
export const HELD_INTERVAL_MILLISECONDS = HELD_STATE_INTERVAL_SECONDS * 1000 * 0.75;

/** When a change is told again over a transport that may lose messages, in milliseconds after it. */
export const REPEAT_AFTER_MILLISECONDS: readonly number[] = Object.freeze([16, 50, 120, 300]);

/** What the schedule has to know. */
export interface ScheduleFacts {
  /** Version of the input state. */
  readonly version: number;
  /** Whether anything is held. */
  readonly anythingHeld: boolean;
}

/**
 * Decides when the input state is sent: at once after a change, not more often than every 8 ms, at least every 100 ms while anything is held, and
 * a few times more after a change where a message may be lost. Pure: the time comes in.
 */
export class SendSchedule {
  readonly #repeats: readonly number[];
  #sentVersion = -1;
  #sentAt = Number.NEGATIVE_INFINITY;
  #changedAt = Number.NEGATIVE_INFINITY;
  #repeated = 0;

  /** `isReliable`: nothing that is sent gets lost, so that repeats are needless. */
  constructor(options: { readonly isReliable: boolean }) {
    this.#repeats = options.isReliable ? [] : REPEAT_AFTER_MILLISECONDS;
  }

  /** When the next message is due, on the clock of the calls; `undefined` while there is nothing to tell. Never before now when overdue. */
  nextDue({ version, anythingHeld }: ScheduleFacts): number | undefined {
    if (version !== this.#sentVersion) return this.#sentAt + SHORTEST_INTERVAL_MILLISECONDS;
    const repeat = this.#repeats[this.#repeated];
    const repeatAt = repeat === undefined ? undefined : this.#changedAt + repeat;
    const heldAt = anythingHeld ? this.#sentAt + HELD_INTERVAL_MILLISECONDS : undefined;
    if (repeatAt === undefined) return heldAt;
    return heldAt === undefined ? repeatAt : Math.min(repeatAt, heldAt);
  }

  /** A message with this version has been sent. */
  sent(now: number, version: number): void {
    if (version !== this.#sentVersion) {
      this.#changedAt = now;
      this.#repeated = 0;
    } else {
      while (this.#changedAt + (this.#repeats[this.#repeated] ?? Number.POSITIVE_INFINITY) <= now) this.#repeated += 1;
    }
    this.#sentVersion = version;
    this.#sentAt = now;
  }
}
