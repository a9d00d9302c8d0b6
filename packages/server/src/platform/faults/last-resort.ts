import { AsyncLocalStorage } from "node:async_hooks";

/** Whatever a fault is traced back to: a session or a connection. */
export interface FaultOwner {
  /** Ends it; idempotent, never throws. */
  fail(error: unknown): void;
}

/**
 * Catches faults that nothing else caught, so that one session or connection ends instead of the server. Work that is run through it is traced back to its
 * owner, also when it goes on later; a fault without an owner is reported only.
 */
export class LastResort {
  readonly #owners = new AsyncLocalStorage<FaultOwner>();
  readonly #report: (error: unknown) => void;

  /** `report` hears every fault. */
  constructor(report: (error: unknown) => void) {
    this.#report = report;
  }

  /** Runs work for its owner: what it throws ends the owner, and so does what its timers and promises throw later. */
  run(owner: FaultOwner, work: () => void): void {
    this.#owners.run(owner, () => {
      try {
        work();
      } catch (error) {
        this.take(error);
      }
    });
  }

  /** Takes a fault: ends its owner, where there is one, and reports it. */
  take(error: unknown): void {
    this.#owners.getStore()?.fail(error);
    this.#report(error);
  }

  /** Listens for the uncaught faults of the whole process; gives what ends that. */
  install(): () => void {
    const take = (error: unknown): void => this.take(error);
    process.on("uncaughtException", take);
    process.on("unhandledRejection", take);
    return () => {
      process.off("uncaughtException", take);
      process.off("unhandledRejection", take);
    };
  }
}
