/** The part of the host that lets everything that is ready run; Node has `setImmediate`, a browser only timers. */
interface HostTimers {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly setTimeout?: (callback: () => void, milliseconds: number) => unknown;
}

/**
 * Resolves after one turn of the event loop: all promise callbacks that were ready, and all that they made ready, have run, and timers and
 * messages that were due have had their turn. No time passes for anything that takes its time from a fake clock.
 */
export function eventLoopTurn(): Promise<void> {
  // A turn of the loop is not a measure of time, yet only timers can ask for one; hence the look past the language's own globals.
  const host = globalThis as HostTimers;
  return new Promise((resolve) => {
    if (host.setImmediate !== undefined) host.setImmediate(resolve);
    else host.setTimeout?.(resolve, 0);
  });
}
