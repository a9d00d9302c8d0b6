import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { finite } from "../foundation/validate/reader.ts";

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
  /** When the next frame is due. */
  #nextDueSeconds: number | undefined;
  /** The budget: up to when frames have been generated at the world's rate. A restart does not refill it. */
  #generatedUntilSeconds = -Infinity;
  #pausedLeadSeconds: number | undefined;
  #paused = false;
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
    const slackSeconds = Math.max(0, this.#leadFrames - frameCount) / this.#framesPerSecond;
    return Math.max(this.#generatedUntilSeconds, this.#nextDueSeconds ?? -Infinity) - slackSeconds;
  }

  /** Notes that a step of `frameCount` frames starts at `nowSeconds`. */
  begin(frameCount: number, nowSeconds: number): void {
    if (this.#paused) return;
    this.#generatedUntilSeconds =
      Math.max(this.#generatedUntilSeconds, nowSeconds) + frameCount / this.#framesPerSecond;
  }

  /** Schedules the frames of a step that was complete at `nowSeconds`; gives the due time of the first. Frame i is due i / rate later. */
  schedule(frameCount: number, nowSeconds: number): number {
    if (this.#paused) return nowSeconds;
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

  /** Stops the schedule; single steps taken meanwhile are due at once and change nothing. */
  pause(nowSeconds: number): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#pausedLeadSeconds =
      this.#nextDueSeconds === undefined ? undefined : Math.max(0, this.#nextDueSeconds - nowSeconds);
  }

  /** Lets the schedule go on with the lead that it had. */
  resume(nowSeconds: number): void {
    if (!this.#paused) return;
    this.#paused = false;
    const lead = this.#pausedLeadSeconds;
    this.#nextDueSeconds = lead === undefined ? undefined : nowSeconds + lead;
    this.#generatedUntilSeconds = nowSeconds + (lead ?? 0);
  }

  /** Begins anew, as after a reset: the next frames are due at once. Steps still follow each other no faster than the world's rate. */
  restart(): void {
    this.#nextDueSeconds = undefined;
    this.#pausedLeadSeconds = undefined;
  }
}

/** A step that is late by less than this is on time: timers of operating systems are not more exact. */
const LATE_TOLERANCE_SECONDS = 0.001;

/** Throws `invalid_state`: two components that pace the same session make it stutter. */
export function refuseSecondPacer(who: string): never {
  throw new DreamloopError(
    ERROR_CODES.invalidState,
    `${who} paces by its own clock, but the realtime driver's pacer owns the cadence; turn one of them off`,
  );
}
