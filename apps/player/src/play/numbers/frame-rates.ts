/** Frames that are looked back on, in milliseconds. */
const WINDOW_MILLISECONDS = 2_000;
/** Frames that are kept at most; beyond, the oldest go. */
const MAX_FRAMES = 600;

/** How fast frames come, measured on the frames that were shown. */
export interface FrameRates {
  /** Frames a second that the world makes: by the numbers of the frames, those that were not shown included. */
  readonly generatedFramesPerSecond: number;
  /** Frames a second that are shown; never more than are made. */
  readonly shownFramesPerSecond: number;
  /** Milliseconds on the clock from one frame that the world makes to the next. */
  readonly wallMilliseconds: number;
}

/**
 * Measures both rates over the same stretch of time, from the first to the last frame in the window, so that they can be compared.
 * Two rates from two clocks would now and then show more frames than were made.
 */
export class FrameRateMeter {
  #frames: { readonly index: number; readonly at: number }[] = [];

  /** A frame was shown at a time in milliseconds. */
  see(frameIndex: number, atMilliseconds: number): void {
    const last = this.#frames.at(-1);
    // A session that was started anew counts anew, and nothing is shown twice.
    if (last !== undefined && frameIndex < last.index) this.#frames = [];
    else if (last !== undefined && frameIndex === last.index) return;
    this.#frames.push({ index: frameIndex, at: atMilliseconds });
    if (this.#frames.length > MAX_FRAMES) this.#frames.shift();
  }

  /** Frames stop, such as in a pause: what was measured says nothing about what follows. */
  clear(): void {
    this.#frames = [];
  }

  /** The rates of now; `undefined` while there is too little to measure. */
  read(nowMilliseconds: number): FrameRates | undefined {
    const from = nowMilliseconds - WINDOW_MILLISECONDS;
    // At least two frames are kept, so that a world that needs seconds for a frame has a rate as well.
    while (this.#frames.length > 2 && (this.#frames[0]?.at ?? 0) < from) this.#frames.shift();
    const [first] = this.#frames;
    const last = this.#frames.at(-1);
    if (first === undefined || last === undefined || last.index === first.index) return undefined;
    // What is overdue counts: a rate must fall while nothing comes.
    const made = last.index - first.index;
    const spent = Math.max(last.at - first.at, nowMilliseconds - first.at - (last.at - first.at) / made, 1);
    return {
      generatedFramesPerSecond: (1000 * made) / spent,
      shownFramesPerSecond: (1000 * (this.#frames.length - 1)) / spent,
      wallMilliseconds: spent / made,
    };
  }
}

/** Below this share of its own speed a world counts as running in slow motion. */
export const SLOW_MOTION_SHARE = 0.95;
/** What two seconds cannot measure: a difference from real time below this is none. */
const MEASURING_ERROR = 0.03;

/** The speed of a world against real time: 1 is real time, half of it 0.5. */
export function speedOf(generatedFramesPerSecond: number, targetFramesPerSecond: number): number {
  const share = generatedFramesPerSecond / targetFramesPerSecond;
  return Math.abs(share - 1) < MEASURING_ERROR ? 1 : share;
}
