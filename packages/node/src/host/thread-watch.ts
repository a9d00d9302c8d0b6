import type { ThreadMarks } from "./thread-marks.ts";

/** How often a thread is looked at, in seconds. */
const LOOK_SECONDS = 0.5;

/**
 * Notices a thread that is held by a call which does not return. The thread beats as long as its event loop turns; a silence longer than
 * the limit in force is told once. Time in which this thread was held itself does not count.
 */
export class ThreadWatch {
  readonly #marks: ThreadMarks;
  readonly #limitSeconds: () => number;
  readonly #onSilence: (seconds: number) => void;
  readonly #timer: NodeJS.Timeout;
  #lastBeat: number;
  #looks = 0;

  /** `limitSeconds` is asked at each look; `Infinity` while the thread may take its time. `onSilence` is called at most once. */
  constructor(marks: ThreadMarks, limitSeconds: () => number, onSilence: (seconds: number) => void) {
    this.#marks = marks;
    this.#limitSeconds = limitSeconds;
    this.#onSilence = onSilence;
    this.#lastBeat = marks.beats;
    this.#timer = setInterval(() => this.#look(), LOOK_SECONDS * 1000);
    this.#timer.unref();
  }

  /** Looks no more. */
  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { beats } = this.#marks;
    this.#looks = beats === this.#lastBeat ? this.#looks + 1 : 0;
    this.#lastBeat = beats;
    const silentSeconds = this.#looks * LOOK_SECONDS;
    if (silentSeconds < this.#limitSeconds()) return;
    this.close();
    this.#onSilence(silentSeconds);
  }
}
