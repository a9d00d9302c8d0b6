import { ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { ClientEnvironment } from "../browser/client-environment.ts";

/** A server that is full is waited for. */
export interface BusyWait {
  /** Seconds until the server is asked again. */
  readonly secondsLeft: number;
  /** How often it has been asked. */
  readonly attempts: number;
  /** What it said. */
  readonly message: string;
}

/** How a full server is waited for. */
export interface BusyOptions {
  /** Clock and timers. */
  readonly environment: ClientEnvironment;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
  /** Hears of every second; absent: nothing is waited for. */
  readonly onBusy: ((wait: BusyWait) => void) | undefined;
  /** After so long the last refusal is final. */
  readonly patienceSeconds: number;
}

/** When a server that names no time is asked again, in seconds. */
const UNNAMED_SECONDS = 5;
/** The longest time between two questions, in seconds; a server may be free sooner than it thinks. */
const LONGEST_SECONDS = 30;

/** Asks until there is a place: counts the seconds down that the server names, and asks again. Rejects with what is no `busy`, with the last `busy` when patience ends, and with the reason of the signal. */
export async function waitForPlace<Answer>(ask: () => Promise<Answer>, options: BusyOptions): Promise<Answer> {
  const { environment, signal, onBusy, patienceSeconds } = options;
  const begun = environment.now();
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await ask();
    } catch (error) {
      if (onBusy === undefined || !isDreamloopError(error, ERROR_CODES.busy)) throw error;
      const { retryAfterSeconds } = error.details;
      const named = typeof retryAfterSeconds === "number" ? Math.ceil(retryAfterSeconds) : UNNAMED_SECONDS;
      const wait = Math.min(LONGEST_SECONDS, Math.max(1, named));
      if ((environment.now() - begun) / 1000 + wait > patienceSeconds) throw error;
      for (let secondsLeft = wait; secondsLeft > 0; secondsLeft -= 1) {
        onBusy({ secondsLeft, attempts, message: error.message });
        await second(environment, signal);
      }
    }
  }
}

function second(environment: ClientEnvironment, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      environment.clearTimer(timer);
      reject(signal?.reason as Error);
    };
    const timer = environment.setTimer(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, 1000);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
