import type { Clock, RunObserver } from "@dreamloop/core";

/** Longest time for which a run keeps the event loop for itself, in seconds. */
const TURN_SECONDS = 0.02;

/**
 * Gives the event loop a turn now and then. A world whose steps and outputs are all synchronous would otherwise never let a stop
 * signal through.
 */
export function eventLoopTurns(clock: Clock): RunObserver {
  let lastSeconds = clock.nowSeconds();
  return {
    stepCommitted: () => {
      const now = clock.nowSeconds();
      if (now - lastSeconds < TURN_SECONDS) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          lastSeconds = clock.nowSeconds();
          resolve();
        });
      });
    },
  };
}
