/**
 * Seconds to wait before each restart in a row; a session that is started meanwhile waits too. After the last, without a step that succeeded
 * in between, a worker is given up.
 */
const RESTART_SECONDS: readonly number[] = [0, 0.5, 1, 2, 4, 8, 15, 30];

/** Counts the restarts of one worker, and says how long to wait before the next. */
export class RestartPauses {
  readonly #pauses: readonly number[];
  #restarts = 0;

  /** `pauses` are the seconds before each restart in a row. */
  constructor(pauses: readonly number[] = RESTART_SECONDS) {
    this.#pauses = pauses;
  }

  /** Restarts without a success in between. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Seconds to wait before the next restart; absent when there is none any more. */
  next(): number | undefined {
    const seconds = this.#pauses[this.#restarts];
    if (seconds !== undefined) this.#restarts += 1;
    return seconds;
  }

  /** The worker has worked: its next death is the first again. */
  succeeded(): void {
    this.#restarts = 0;
  }
}
