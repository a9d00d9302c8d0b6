import type { RunObserver } from "../rollout/run-observer.ts";
import type { WarningCounter } from "./run-warnings.ts";

/** Tells observers of a live run, in order, while nothing waits for them; what they throw becomes a warning. */
export class ObserverQueue {
  readonly #observers: readonly RunObserver[];
  readonly #warnings: WarningCounter;
  #last: Promise<void> = Promise.resolve();

  /** `warnings` hears of observers that fail. */
  constructor(observers: readonly RunObserver[], warnings: WarningCounter) {
    this.#observers = observers;
    this.#warnings = warnings;
  }

  /** Whether anybody listens. */
  get attached(): boolean {
    return this.#observers.length > 0;
  }

  /** Tells every observer, after all that was told before. */
  tell(tell: (observer: RunObserver) => void | Promise<void>): void {
    for (const observer of this.#observers) {
      this.#last = this.#last
        .then(() => tell(observer))
        .catch((error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          this.#warnings.warn({ kind: "observer_failed", message });
        });
    }
  }

  /** Resolves when all that was told so far has been heard. */
  settled(): Promise<void> {
    return this.#last;
  }
}
