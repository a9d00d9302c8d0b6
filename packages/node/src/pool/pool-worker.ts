import type { DreamloopError, InferenceRuntime } from "@dreamloop/core";

/** One worker of a pool: a runtime in a thread or process of its own, which is started again when it dies. */
export interface PoolWorker extends InferenceRuntime {
  /** Sessions that are open or being started. */
  readonly sessionCount: number;
  /** Whether a session can start at once; false while it is being started again. */
  readonly isReady: boolean;
  /** Why it has been given up; absent while it runs or will run again. */
  readonly failure: DreamloopError | undefined;
}
