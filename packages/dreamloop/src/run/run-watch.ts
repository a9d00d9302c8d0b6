import type {
  Clock,
  Json,
  ResetRecord,
  RunEnd,
  RunObserver,
  RunOutcome,
  RunStart,
  SessionDescription,
  StepRecord,
} from "@dreamloop/core";

/** What a run was, as seen from outside; complete also when it was stopped in the middle of a step. */
export interface RunFacts {
  /** What the session delivered. */
  readonly description: SessionDescription;
  /** Why it ended. */
  readonly outcome: RunOutcome;
  /** Steps that were committed. */
  readonly stepCount: number;
  /** Frames that were delivered. */
  readonly frameCount: number;
  /** Resets that were applied. */
  readonly resetCount: number;
  /** The world's time at the end. */
  readonly sessionSeconds: number;
  /** From the start of the first step to the end of the last; loading and finishing files are not in it. */
  readonly wallSeconds: number;
  /** What the runtime says of itself: engine, weights, what came of reference frames, where it fell back. */
  readonly runtimeFacts: { readonly [key: string]: Json };
}

/** Watches a run and tells what it was. */
export class RunWatch implements RunObserver {
  readonly #clock: Clock;
  #start: RunStart | undefined;
  #end: RunEnd | undefined;
  #startSeconds = 0;
  #lastSeconds = 0;
  #sessionSeconds = 0;
  #resetCount = 0;

  /** Reads the wall time from `clock`. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What was known at the start; absent before it. */
  get start(): RunStart | undefined {
    return this.#start;
  }

  /** Keeps what is known at the start. */
  runStarted(start: RunStart): void {
    this.#start = start;
  }

  /** Starts the wall time: the outputs are open, and the first step follows. */
  stepsBegin(): void {
    this.#startSeconds = this.#clock.nowSeconds();
    this.#lastSeconds = this.#startSeconds;
  }

  /** Keeps the times of the newest step. */
  stepCommitted({ window }: StepRecord): void {
    this.#sessionSeconds = window.endSeconds;
    this.#lastSeconds = this.#clock.nowSeconds();
  }

  /** Counts. */
  resetApplied(_: ResetRecord): void {
    this.#resetCount += 1;
  }

  /** Keeps how it ended. */
  runEnded(end: RunEnd): void {
    this.#end = end;
  }

  /** What the run was; absent when it never started or has not ended. */
  get facts(): RunFacts | undefined {
    if (this.#start === undefined || this.#end === undefined) return undefined;
    return {
      description: this.#start.description,
      ...this.#end,
      resetCount: this.#resetCount,
      sessionSeconds: this.#sessionSeconds,
      wallSeconds: this.#lastSeconds - this.#startSeconds,
      runtimeFacts: this.#start.runtimeFacts,
    };
  }
}
