import { errorText, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import type { RunObserver } from "../rollout/run-observer.ts";
import type { WarningCounter } from "./run-warnings.ts";

/** Calls that may wait for one observer of a live run; one that is further behind hears no more. */
export const MAX_WAITING_CALLS = 1024;

/** One observer with its own line of calls, so that one that is slow holds up no other. */
interface Line {
  readonly observer: RunObserver;
  waiting: number;
  cutOff: boolean;
  last: Promise<void>;
}

/**
 * Tells observers of a live run, in order, while nothing waits for them; what they throw becomes a warning. One that does not answer within
 * its limit, or is too far behind, hears no more, with a warning.
 */
export class ObserverQueue {
  readonly #lines: readonly Line[];
  readonly #warnings: WarningCounter;
  readonly #waits: Waits;

  /** `warnings` hears of observers that fail. */
  constructor(observers: readonly RunObserver[], warnings: WarningCounter, waits: Waits) {
    this.#lines = observers.map((observer) => ({ observer, waiting: 0, cutOff: false, last: Promise.resolve() }));
    this.#warnings = warnings;
    this.#waits = waits;
  }

  /** Whether anybody listens. */
  get attached(): boolean {
    return this.#lines.some(({ cutOff }) => !cutOff);
  }

  /** Tells every observer, after all that it was told before. */
  tell(tell: (observer: RunObserver) => void | Promise<void>): void {
    for (const line of this.#lines) {
      if (line.cutOff) continue;
      if (line.waiting >= MAX_WAITING_CALLS) {
        this.#cutOff(line, `an observer is ${MAX_WAITING_CALLS} calls behind and hears no more`);
        continue;
      }
      line.waiting += 1;
      line.last = line.last.then(async () => {
        try {
          if (!line.cutOff) {
            await this.#waits.wait({ what: "an observer of the run", kind: "output" }, () => tell(line.observer));
          }
        } catch (error) {
          const message = errorText(error);
          if (isDreamloopError(error, ERROR_CODES.timedOut)) this.#cutOff(line, `${message}; it hears no more`);
          else this.#warnings.warn({ kind: "observer_failed", message });
        } finally {
          line.waiting -= 1;
        }
      });
    }
  }

  /** Resolves when all that was told so far has been heard, by those who still hear. */
  async settled(): Promise<void> {
    await Promise.all(this.#lines.filter(({ cutOff }) => !cutOff).map(({ last }) => last));
  }

  #cutOff(line: Line, message: string): void {
    line.cutOff = true;
    this.#warnings.warn({ kind: "observer_failed", message });
  }
}
