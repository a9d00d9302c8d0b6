import { framesOfStep, type SessionDescription, type StepResult } from "@dreamloop/core";

/** Ticks a second of the time base of every video that Dreamloop writes; that of RTP video as well. */
export const VIDEO_TICKS_PER_SECOND = 90_000;

/**
 * Places frames on the timeline of a recording: frame n of the world lies n frame times after the first one that arrived. A result
 * that was dropped before the target leaves its gap, so that a recording of a live run keeps its speed; a reset goes on where
 * the frames before it ended. Numbers strictly rise.
 */
export class FrameTimeline {
  readonly #description: SessionDescription;
  #generation: number | undefined;
  #base = 0;
  #next = 0;

  /** `description` says how many frames each step gives. */
  constructor(description: SessionDescription) {
    this.#description = description;
  }

  /** Number of the first frame of `result` on the timeline; the others follow one by one. */
  place(result: StepResult): number {
    const before = this.#framesBefore(result.stepIndex);
    if (this.#generation !== result.generation) {
      this.#generation = result.generation;
      // The first result of a generation may come late when those before it were dropped; where it starts is then not known.
      this.#base = this.#next - before;
    }
    const first = Math.max(this.#next, this.#base + before);
    this.#next = first + result.frameCount;
    return first;
  }

  /** When a frame is shown, in ticks of `VIDEO_TICKS_PER_SECOND`, rounded to nearest. */
  ticks(frameNumber: number): number {
    return Math.round((frameNumber * VIDEO_TICKS_PER_SECOND) / this.#description.framesPerSecond);
  }

  #framesBefore(stepIndex: number): number {
    if (stepIndex === 0) return 0;
    return framesOfStep(this.#description, 0) + (stepIndex - 1) * framesOfStep(this.#description, 1);
  }
}
