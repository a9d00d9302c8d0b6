import type { ErrorRecord } from "@dreamloop/core/internal";
import { SESSION_STATES, type SessionState, type SessionStateMessage } from "@dreamloop/protocol";

/** What a session is doing, as everybody is told. */
export class SessionStatus {
  #state: SessionState = SESSION_STATES.loading;
  #generation = 0;
  #seed: number;
  #loadFraction: number | undefined;
  #ending: ErrorRecord | undefined;
  #failure: unknown;

  /** Begins with loading. */
  constructor(seed: number) {
    this.#seed = seed;
  }

  /** What it is doing. */
  get state(): SessionState {
    return this.#state;
  }

  /** Resets so far. */
  get generation(): number {
    return this.#generation;
  }

  /** Why it is over, as clients are told; absent before. */
  get ending(): ErrorRecord | undefined {
    return this.#ending;
  }

  /** The fault that ended it, with its causes, for whoever runs the server; undefined where there was none. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Whether it is over. */
  get isClosed(): boolean {
    return this.#state === SESSION_STATES.closed;
  }

  /** How much of the load is done, where that is known. */
  noteLoad(fraction: number | undefined): void {
    this.#loadFraction = fraction;
  }

  /** Changes the state; a session that is over stays so. */
  change(state: SessionState, changes: { readonly generation?: number; readonly seed?: number } = {}): void {
    if (this.isClosed) return;
    this.#state = state;
    this.#generation = changes.generation ?? this.#generation;
    this.#seed = changes.seed ?? this.#seed;
    if (state !== SESSION_STATES.loading) this.#loadFraction = undefined;
  }

  /** It is over, and why: as clients are told, and the fault itself. */
  end(ending: ErrorRecord, failure?: unknown): void {
    if (this.isClosed) return;
    this.change(SESSION_STATES.closed);
    this.#ending = ending;
    this.#failure = failure;
  }

  /** What everybody who watches is told. */
  message(): SessionStateMessage {
    return {
      type: "state",
      state: this.#state,
      generation: this.#generation,
      seed: this.#seed,
      ...(this.#loadFraction === undefined ? {} : { loadFraction: this.#loadFraction }),
      ...(this.#ending === undefined ? {} : { reason: this.#ending }),
    };
  }
}
