import type { Clock } from "../foundation/time/clock.ts";

/** The stages of one turn of the loop, each timed apart when somebody asks. */
export const STAGES = {
  /** Waiting for the pace. */
  pace: "pace",
  /** Reading the window's inputs. */
  read: "read",
  /** Raw events to canonical values. */
  canonicalize: "canonicalize",
  /** Canonical values to model inputs. */
  map: "map",
  /** The model's step. */
  model: "model",
  /** The check of the frames. */
  check: "check",
  /** Frame hashes. */
  hash: "hash",
  /** Writing to targets; in realtime only the hand-over. */
  write: "write",
  /** Observers: traces and statistics. */
  observe: "observe",
  /** The model's finalisation, off the presentation path. */
  finalize: "finalize",
} as const;

/** One of `STAGES`. */
export type Stage = (typeof STAGES)[keyof typeof STAGES];

/** Told about each stage of each step; without one the loop reads no clock for it. */
export interface StageListener {
  /** A stage is over; times are those of the driver's clock in seconds, `stepNumber` counts steps over all generations. */
  stage(stage: Stage, stepNumber: number, startSeconds: number, endSeconds: number): void;
}

/** Times stages when somebody listens, and reads no clock when nobody does. */
export class StageTimer {
  readonly #listener: StageListener | undefined;
  readonly #clock: Clock | undefined;

  /** Without a listener or a clock nothing is timed. */
  constructor(listener: StageListener | undefined, clock: Clock | undefined) {
    this.#listener = clock === undefined ? undefined : listener;
    this.#clock = clock;
  }

  /** The time now, or 0 when nobody listens. */
  now(): number {
    return this.#listener === undefined ? 0 : (this.#clock?.nowSeconds() ?? 0);
  }

  /** Reports a stage that began at `startSeconds` and ends now; gives the time now. */
  end(stage: Stage, stepNumber: number, startSeconds: number): number {
    if (this.#listener === undefined) return 0;
    const endSeconds = this.now();
    this.#listener.stage(stage, stepNumber, startSeconds, endSeconds);
    return endSeconds;
  }
}
