import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/**
 * The name under which the threads of a process share the memory of the lock. A thread inherits it from the one that started it; whoever starts threads for worlds makes it
 * first (`shareDeviceLock` in `@dreamloop/node`, which has the same name).
 */
const NAME = "dreamloop.device-lock";

const FREE = 0;
const HELD = 1;

/** Milliseconds between two looks at a lock that another thread holds. */
const LOOK_MILLISECONDS = 1;

/** Seconds after which a lock is no longer waited for: a graph may take long to make, and a thread may have ended with it. */
export const LOCK_SECONDS = 300;

/** Lets one thread of this process at a time use a device whose library does not support several. */
export class DeviceLock {
  readonly #cell: Int32Array;
  readonly #device: string;
  #isHeld = false;

  /** Takes memory that the threads share. */
  constructor(device: string, memory: SharedArrayBuffer) {
    this.#device = device;
    this.#cell = new Int32Array(memory);
    // A thread that ends on the way gives it back.
    process.once("exit", () => {
      if (this.#isHeld) Atomics.store(this.#cell, 0, FREE);
    });
  }

  /** The lock that this thread shares with those that it was started by or starts later. */
  static ofProcess(device: string): DeviceLock {
    const found: unknown = getEnvironmentData(NAME);
    const memory = found instanceof SharedArrayBuffer ? found : new SharedArrayBuffer(4);
    if (found !== memory) setEnvironmentData(NAME, memory);
    return new DeviceLock(device, memory);
  }

  /** Does something while no other thread uses the device; throws `timed_out` when it does not become free. */
  async hold<T>(work: () => T | Promise<T>, limitSeconds = LOCK_SECONDS): Promise<T> {
    const end = performance.now() + limitSeconds * 1000;
    while (Atomics.compareExchange(this.#cell, 0, FREE, HELD) !== FREE) {
      if (performance.now() > end) {
        const message = `device ${this.#device}: another thread of this process has held it for ${limitSeconds} s; start Dreamloop again`;
        throw new DreamloopError(ERROR_CODES.timedOut, message);
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
    this.#isHeld = true;
    try {
      return await work();
    } finally {
      this.#isHeld = false;
      Atomics.store(this.#cell, 0, FREE);
    }
  }
}
