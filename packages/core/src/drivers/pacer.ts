import { finite } from "../validate/reader.ts";

/** What the pacer takes. */
export interface PacerOptions {
  /** The world's rate; frames are presented at this rate and never faster. */
  readonly framesPerSecond: number;
  /** By how many frames generation may lead presentation, at least the frames of one step; need not be whole. */
  readonly leadFrames: number;
}

/**
 * Owns the cadence of a realtime run, and is the only one to own it: when the next step may start, and when each frame is due. Times are
 * those of the driver's clock in seconds. No measured rate feeds back into it; a late step re-anchors the schedule at its
 * completion, so that nothing is ever shown faster than the world's rate.
 */
export class Pacer {
  readonly #framesPerSecond: number;
  readonly #leadFrames: number;
  #nextDueSeconds: number | undefined;
  #notBeforeSeconds = -Infinity;
  #lastStart: { readonly seconds: number; readonly frameCount: number } | undefined;
  #underrunCount = 0;
  #stallSeconds = 0;

  /** Refuses a rate or a lead that is not above 0. */
  constructor(options: PacerOptions) {
    const positive = finite({ min: 0, aboveMin: true });
    this.#framesPerSecond = positive(options.framesPerSecond, "Pacer.framesPerSecond");
    this.#leadFrames = positive(options.leadFrames, "Pacer.leadFrames");
  }

  /** Times that a step was later than its due time. */
  get underrunCount(): number {
    return this.#underrunCount;
  }

  /** Sum of the lateness of all late steps, in seconds. */
  get stallSeconds(): number {
    return this.#stallSeconds;
  }

  /** The bound on the lead, in frames. */
  get leadFrames(): number {
    return this.#leadFrames;
  }

  /** The earliest time at which a step of `frameCount` frames may start, so that the lead stays within its bound. */
  earliestStart(frameCount: number): number {
    if (this.#nextDueSeconds === undefined) return this.#notBeforeSeconds;
    const slackFrames = Math.max(0, this.#leadFrames - frameCount);
    return Math.max(this.#notBeforeSeconds, this.#nextDueSeconds - slackFrames / this.#framesPerSecond);
  }

  /** Notes that a step of `frameCount` frames starts at `nowSeconds`. */
  begin(frameCount: number, nowSeconds: number): void {
    this.#lastStart = { seconds: nowSeconds, frameCount };
  }

  /** Schedules the frames of a step that was complete at `nowSeconds`; gives the due time of the first. Frame i is due i / rate later. */
  schedule(frameCount: number, nowSeconds: number): number {
    const planned = this.#nextDueSeconds;
    const first = planned === undefined ? nowSeconds : Math.max(planned, nowSeconds);
    if (planned !== undefined && nowSeconds > planned + LATE_TOLERANCE_SECONDS) {
      this.#underrunCount += 1;
      this.#stallSeconds += nowSeconds - planned;
    }
    this.#nextDueSeconds = first + frameCount / this.#framesPerSecond;
    return first;
  }

  /** Frames that are generated but not yet due at `nowSeconds`. */
  leadAt(nowSeconds: number): number {
    if (this.#nextDueSeconds === undefined) return 0;
    return Math.max(0, (this.#nextDueSeconds - nowSeconds) * this.#framesPerSecond);
  }

  /** Moves the schedule by a pause. */
  shift(seconds: number): void {
    if (this.#nextDueSeconds !== undefined) this.#nextDueSeconds += seconds;
    this.#notBeforeSeconds += seconds;
  }

  /** Begins anew, as after a reset: the next frames are due at once, but steps never follow each other faster than the world's rate. */
  restart(): void {
    this.#nextDueSeconds = undefined;
    const last = this.#lastStart;
    if (last !== undefined) this.#notBeforeSeconds = last.seconds + last.frameCount / this.#framesPerSecond;
  }
}

/** A step that is late by less than this is on time: timers of operating systems are not more exact. */
const LATE_TOLERANCE_SECONDS = 0.001;
