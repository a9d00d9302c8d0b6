import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";
import type { Clock } from "./clock.ts";
import { finite, withDefault } from "../validate/reader.ts";
import { refuseUnknownKeys } from "../validate/record.ts";

/**
 * How long a run waits for code that is not its own, in seconds of its clock. Each wait that reaches its limit ends with the error
 * `timed_out`, which names what did not answer; everything else is closed all the same.
 */
export interface WaitLimits {
  /** For a runtime to load and for a session to start; default 1800, since weights may be large and graphs may have to be compiled. */
  readonly loadSeconds: number;
  /** For a step, its finalisation, a reset, a snapshot or its restoration; default 300. */
  readonly stepSeconds: number;
  /** For an output to open, to take a result or to complete its file, for an observer, and for a frame hash; default 120. */
  readonly outputSeconds: number;
  /** For a session or a runtime to close; default 6. */
  readonly closeSeconds: number;
  /** For the step under way and for observers of a live run once the run has been asked to end; default 3. A load is left at once. */
  readonly stopSeconds: number;
}

/** The limits in force unless others are given, in seconds. */
export const DEFAULT_WAIT_LIMITS: WaitLimits = Object.freeze({
  loadSeconds: 1800,
  stepSeconds: 300,
  outputSeconds: 120,
  closeSeconds: 6,
  stopSeconds: 3,
});

/** Which limit a wait has. */
export type WaitKind = "load" | "step" | "output" | "close" | "stop";

const limit = finite({ min: 0, aboveMin: true });
const NAMES = Object.keys(DEFAULT_WAIT_LIMITS) as readonly (keyof WaitLimits)[];

/** Fills in the defaults. Throws `invalid_value` or `unknown_key`. */
export function readWaitLimits(given: unknown, path: string): WaitLimits {
  if (given === undefined) return DEFAULT_WAIT_LIMITS;
  refuseUnknownKeys(given, NAMES, path);
  const values = given as Readonly<Record<string, unknown>>;
  return Object.freeze(
    Object.fromEntries(
      NAMES.map((name) => [name, withDefault(limit, DEFAULT_WAIT_LIMITS[name])(values[name], `${path}.${name}`)]),
    ),
  ) as unknown as WaitLimits;
}

/**
 * The limits that a configuration's `resourceHints` ask for, under their own names (`stepSeconds: 600`); other hints are none of ours.
 * Throws `invalid_value`.
 */
export function waitLimitsOf(hints: Readonly<Record<string, unknown>> = {}): Partial<WaitLimits> {
  const given = NAMES.filter((name) => hints[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, limit(hints[name], `resourceHints.${name}`)]));
}

interface Waiting {
  readonly what: string;
  readonly kind: WaitKind;
  readonly seconds: number;
  deadlineSeconds: number;
  stopped: boolean;
  readonly end: (error: DreamloopError) => void;
}

/** How one wait is called and what happens to an answer that comes too late. */
export interface Wait<T> {
  /** What is waited for, as the error names it: `step 3`, `the load of "drive"`. */
  readonly what: string;
  /** Which limit it has. */
  readonly kind: WaitKind;
  /** Frees an answer that comes after the wait has ended. */
  readonly free?: (late: T) => unknown;
}

/**
 * Gives every wait of a run an end. A wait that is over its limit rejects with `timed_out`; what it waited for is left to itself, and an
 * answer that still comes is freed. Code that never returns from a call cannot be ended from the same thread: a worker thread or process
 * has to be ended from outside.
 */
export class WaitGuard {
  readonly #clock: Clock;
  readonly #limits: WaitLimits;
  readonly #waiting = new Set<Waiting>();
  #wake = new AbortController();
  /** Until when the watch sleeps; absent while nobody watches. */
  #sleepsUntilSeconds: number | undefined;
  #closed = false;
  #stopping: { readonly because: string; readonly cancelledBy: AbortSignal | undefined } | undefined;
  #stopListening: () => void = () => undefined;

  /** When `signal` fires, the step under way has `stopSeconds` left. Call `close` when the run is over. */
  constructor(clock: Clock, limits: WaitLimits, signal?: AbortSignal) {
    this.#clock = clock;
    this.#limits = limits;
    if (signal === undefined) return;
    const stop = (): void => this.stop("the run was cancelled", signal);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    this.#stopListening = () => signal.removeEventListener("abort", stop);
  }

  /** Starts `work` and waits for its answer, for as long as its limit allows. An answer that is no promise is returned as it is. */
  wait<T>({ what, kind, free }: Wait<T>, work: () => T | PromiseLike<T>): T | Promise<T> {
    const answer = work();
    if (!isThenable(answer)) return answer;
    return new Promise((resolve, reject) => {
      const seconds = this.#limits[`${kind}Seconds`];
      let over = false;
      const entry: Waiting = {
        what,
        kind,
        seconds,
        deadlineSeconds: this.#clock.nowSeconds() + seconds,
        stopped: false,
        end: (error) => {
          over = true;
          this.#waiting.delete(entry);
          reject(error);
        },
      };
      this.#waiting.add(entry);
      if (this.#stopping !== undefined) this.#shorten(entry);
      this.#watch();
      const settle = (): boolean => {
        this.#waiting.delete(entry);
        return !over;
      };
      answer.then(
        (value) => {
          if (settle()) resolve(value);
          else freeQuietly(free, value);
        },
        (error: unknown) => {
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what was thrown is passed on as it is
          if (settle()) reject(error);
        },
      );
    });
  }

  /** From now on a step has at most `stopSeconds`; `because` completes the error's sentence. */
  stop(because: string, cancelledBy?: AbortSignal): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = { because, cancelledBy };
    for (const entry of this.#waiting) this.#shorten(entry);
    this.#watch();
  }

  /** Ends the watch; waits that are still open are left to themselves. */
  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.#wake.abort();
  }

  #shorten(entry: Waiting): void {
    if (entry.kind !== "step" && entry.kind !== "load") return;
    const until = this.#clock.nowSeconds() + (entry.kind === "load" ? 0 : this.#limits.stopSeconds);
    if (until >= entry.deadlineSeconds) return;
    entry.deadlineSeconds = until;
    entry.stopped = true;
  }

  /** One sleeper for all waits: it sleeps to the earliest deadline and looks again. */
  #watch(): void {
    if (this.#closed || this.#waiting.size === 0) return;
    if (this.#sleepsUntilSeconds === undefined) void this.#watchLoop();
    else if (this.#earliest() < this.#sleepsUntilSeconds) this.#wake.abort();
  }

  async #watchLoop(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#closed) {
      if (this.#wake.signal.aborted) this.#wake = new AbortController();
      const { signal } = this.#wake;
      const until = this.#earliest();
      this.#sleepsUntilSeconds = until;
      await this.#clock.sleepUntil(until, signal);
      // A clock that does not keep time would turn this into a loop without an end.
      if (!signal.aborted && this.#clock.nowSeconds() < until) break;
      this.#endOverdue();
    }
    this.#sleepsUntilSeconds = undefined;
  }

  #earliest(): number {
    let earliest = Infinity;
    for (const { deadlineSeconds } of this.#waiting) earliest = Math.min(earliest, deadlineSeconds);
    return earliest;
  }

  #endOverdue(): void {
    const now = this.#clock.nowSeconds();
    for (const entry of [...this.#waiting]) {
      if (entry.deadlineSeconds <= now) entry.end(this.#errorOf(entry));
    }
  }

  #errorOf({ what, kind, seconds, stopped }: Waiting): DreamloopError {
    const stopping = this.#stopping;
    if (!stopped || stopping === undefined) {
      return new DreamloopError(
        ERROR_CODES.timedOut,
        `${what} did not answer within ${seconds} s; raise resourceHints.${kind}Seconds (waits.${kind}Seconds in a program) if it needs longer`,
      );
    }
    const { because, cancelledBy } = stopping;
    const message =
      kind === "load"
        ? `${what} was cancelled${cancelledBy === undefined ? `: ${because}` : ""}`
        : `${what} did not answer within ${this.#limits.stopSeconds} s after ${because}`;
    const code = kind === "load" || cancelledBy !== undefined ? ERROR_CODES.cancelled : ERROR_CODES.timedOut;
    return new DreamloopError(code, message, { cause: cancelledBy?.reason });
  }
}

/** Where a wait is given its end; a `WaitGuard` or `UNLIMITED_WAITS`. */
export type Waits = Pick<WaitGuard, "wait">;

/** Waits without limits, for callers that have limits of their own. */
export const UNLIMITED_WAITS: Waits = { wait: (_wait, work) => work() as never };

function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function freeQuietly<T>(free: ((late: T) => unknown) | undefined, late: T): void {
  try {
    const freeing = free?.(late);
    if (isThenable(freeing)) freeing.then(undefined, () => undefined);
  } catch {
    // The wait has ended with an error of its own.
  }
}
