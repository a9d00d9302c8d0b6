import { VIDEO_TICKS_PER_SECOND } from "@dreamloop/outputs";

/** Gives each frame its time in RTP ticks: from the time at which it is due, and strictly rising. */
export class FrameClock {
  #originSeconds: number | undefined;
  #last = -1;

  /** Ticks since the first frame for a frame that is due at `dueSeconds`; never wraps. */
  ticks(dueSeconds: number): number {
    this.#originSeconds ??= dueSeconds;
    const ticks = Math.round((dueSeconds - this.#originSeconds) * VIDEO_TICKS_PER_SECOND);
    this.#last = Math.max(this.#last + 1, ticks);
    return this.#last;
  }
}
