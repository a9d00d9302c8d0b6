/** Below this share of its own speed, a world is told to have been slow. */
const SLOW_SHARE = 0.8;

/** Counts how long the video of a recording is so far: on the world's own timeline, which stands still while no frames come. */
export class RecordingClock {
  readonly #framesPerSecond: number | undefined;
  #first: number | undefined;

  /** `framesPerSecond` is the rate of the world; without one the clock stands. */
  constructor(framesPerSecond: number | undefined) {
    this.#framesPerSecond = framesPerSecond;
  }

  /** A frame of this number is shown; gives the seconds since the first. */
  see(frameIndex: number): number {
    this.#first ??= frameIndex;
    return this.#framesPerSecond === undefined ? 0 : (frameIndex - this.#first) / this.#framesPerSecond;
  }
}

/** The length of a video in words. */
export function videoLength(seconds: number): string {
  if (seconds < 10) return `${(Math.round(seconds * 10) / 10).toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")} min`;
}

/** What is told of a finished recording that took `tookSeconds` to make. */
export function savedText(videoSeconds: number, tookSeconds: number): string {
  const isSlow = videoSeconds < tookSeconds * SLOW_SHARE && tookSeconds - videoSeconds > 1;
  const why = isSlow ? ` from ${videoLength(tookSeconds)} of play, at the world's own speed` : "";
  return `Recording saved. ${videoLength(videoSeconds)} of video${why}. Find it in the menu under Recordings.`;
}
