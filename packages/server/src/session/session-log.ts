import type { Clock, Json } from "@dreamloop/core";

/** Entries that are kept. */
const CAPACITY = 500;

/** One entry of a session's log. */
export interface SessionLogEntry {
  /** Seconds since the session was asked for. */
  readonly seconds: number;
  /** What happened, a stable name. */
  readonly event: string;
  /** Further facts. */
  readonly facts: { readonly [key: string]: Json };
}

/** What happened in a session, for whoever has to explain it later: bounded, the oldest entries go first and are counted. */
export class SessionLog {
  readonly #clock: Clock;
  readonly #startSeconds: number;
  readonly #entries: SessionLogEntry[] = [];
  #droppedEntries = 0;

  /** Counts seconds from now on. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startSeconds = clock.nowSeconds();
  }

  /** The entries, the oldest first. */
  get entries(): readonly SessionLogEntry[] {
    return this.#entries;
  }

  /** Entries that were given up to keep the bound. */
  get droppedEntries(): number {
    return this.#droppedEntries;
  }

  /** Adds an entry. */
  note(event: string, facts: { readonly [key: string]: Json } = {}): void {
    const seconds = Math.round((this.#clock.nowSeconds() - this.#startSeconds) * 1000) / 1000;
    this.#entries.push({ seconds, event, facts });
    if (this.#entries.length <= CAPACITY) return;
    this.#entries.shift();
    this.#droppedEntries += 1;
  }
}
