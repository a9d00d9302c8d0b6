import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";

/** How the simulated time of loads and steps passes. */
export interface StepCost {
  /** Lets time pass while the thread does other things; ends early when `signal` fires. */
  wait(durationSeconds: number, signal: AbortSignal | undefined): Promise<void>;
  /** Holds the thread, as the run call of an inference engine does. */
  block(durationSeconds: number): void;
}

/** What Node and browsers both have and the language does not. */
interface HostTimers {
  readonly setTimeout?: (callback: () => void, milliseconds: number) => unknown;
  readonly clearTimeout?: (handle: unknown) => void;
}

/** Time as the host keeps it. */
export const hostStepCost: StepCost = Object.freeze({
  wait(durationSeconds: number, signal: AbortSignal | undefined): Promise<void> {
    // Sessions are given no clock; a test that wants to turn the hands itself makes its world with `createProbeWorld({ cost })`.
    const host = globalThis as HostTimers;
    return new Promise((resolve) => {
      const end = (): void => {
        signal?.removeEventListener("abort", end);
        host.clearTimeout?.(timer);
        resolve();
      };
      const timer = host.setTimeout?.(end, durationSeconds * 1000);
      signal?.addEventListener("abort", end);
      if (signal?.aborted === true) end();
    });
  },
  block(durationSeconds: number): void {
    try {
      // Holds the thread without work for the processor, so that a simulated step takes nothing from the others.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, durationSeconds * 1000);
    } catch (cause) {
      throw new DreamloopError(
        ERROR_CODES.unavailable,
        "runtimeOptions.blocking: this thread may not be blocked (the main thread of a page); run the world in a worker or leave it out",
        { cause },
      );
    }
  },
});

/** Time on a clock that is handed in. Blocking waits cannot be simulated by sleeping, so `elapse` moves the clock on. */
export function clockStepCost(clock: Clock, elapse: (durationSeconds: number) => void): StepCost {
  return {
    wait: (durationSeconds, signal) => clock.sleepUntil(clock.nowSeconds() + durationSeconds, signal),
    block: elapse,
  };
}
