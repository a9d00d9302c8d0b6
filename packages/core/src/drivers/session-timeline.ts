/**
 * The session's own time: seconds since the start on the driver's clock, standing still while paused and going on over a reset.
 */
export class SessionTimeline {
  readonly #originSeconds: number;
  #pausedSeconds = 0;
  #pausedAtSeconds: number | undefined;

  /** The session starts at `originSeconds` of the driver's clock. */
  constructor(originSeconds: number) {
    this.#originSeconds = originSeconds;
  }

  /** Whether time stands still. */
  get paused(): boolean {
    return this.#pausedAtSeconds !== undefined;
  }

  /** Session time at `clockSeconds`, at least 0. */
  at(clockSeconds: number): number {
    const effective =
      this.#pausedAtSeconds === undefined ? clockSeconds : Math.min(clockSeconds, this.#pausedAtSeconds);
    return Math.max(0, effective - this.#originSeconds - this.#pausedSeconds);
  }

  /** Stops time; nothing happens when it stands still already. */
  pause(clockSeconds: number): void {
    this.#pausedAtSeconds ??= clockSeconds;
  }

  /** Lets time go on; nothing happens when it does already. */
  resume(clockSeconds: number): void {
    if (this.#pausedAtSeconds === undefined) return;
    this.#pausedSeconds += Math.max(0, clockSeconds - this.#pausedAtSeconds);
    this.#pausedAtSeconds = undefined;
  }
}
