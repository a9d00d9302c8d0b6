import type { Clock } from "@dreamloop/core";

/** The longest that Node's timers take at once, in milliseconds; longer ones would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Below this much, in milliseconds, the event loop is turned instead of setting a timer. */
const TURN_BELOW_MS = 0.25;

/**
 * The monotonic clock of the process, with the same origin in all of its threads, so that times can be posted from one to another.
 *
 * `sleepUntil` never resolves early. Timers of Node have a resolution of a millisecond: a sleep is made of one timer for its whole
 * milliseconds and, for a rest above 0.25 ms, of one more; the last quarter of a millisecond is spent turning the event loop,
 * a handful of turns. Half of all sleeps end less than half a millisecond late that way on a machine that is not busy, for about
 * the processor time of timers alone; turning the loop for the whole last millisecond would halve that and cost twice as much.
 */
export class ProcessClock implements Clock {
  /** Seconds since an origin that all threads of the process share. */
  nowSeconds(): number {
    return Number(process.hrtime.bigint()) / 1e9;
  }

  /**
   * Resolves once `nowSeconds()` has reached `timeSeconds`, or early when `signal` fires. A time in the past, −∞ included, still lets the
   * event loop turn once, so that messages which have arrived are taken in. With `Infinity` only the signal ends the sleep, and
   * the process stays alive meanwhile.
   */
  async sleepUntil(timeSeconds: number, signal?: AbortSignal): Promise<void> {
    const restMs = (): number => (timeSeconds - this.nowSeconds()) * 1000;
    const aborted = (): boolean => signal?.aborted === true;
    do {
      const rest = restMs();
      if (aborted() || rest < TURN_BELOW_MS) await turn();
      else await timer(Math.min(MAX_TIMER_MS, Math.max(1, Math.floor(rest))), signal);
    } while (restMs() > 0 && !aborted());
  }
}

/** One turn of the event loop, with everything that has arrived. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function timer(durationMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timeout);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timeout = setTimeout(end, durationMs);
    signal?.addEventListener("abort", end, { once: true });
  });
}
