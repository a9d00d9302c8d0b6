import type { Worker } from "node:worker_threads";
import type { ToWorker } from "./messages.ts";
import type { ThreadMarks } from "./thread-marks.ts";

/** A worker with what is needed to end it. */
export interface EndableWorker {
  /** The worker. */
  readonly worker: Worker;
  /** Resolves when its thread has ended. */
  readonly ended: Promise<void>;
  /** Resolves when its thread has imported all that it runs. */
  readonly imported: Promise<void>;
  /** What it says of itself. */
  readonly marks: ThreadMarks;
}

/** Seconds that a thread gets to import what it runs before it is ended all the same. */
const IMPORT_SECONDS = 10;

/**
 * Resolves when the thread of a worker has ended. One that is still importing modules gets the time for it: a thread that is terminated while it reads
 * files leaves them open for as long as the process lives. It then gets `graceSeconds` to end by itself; then it is told to stop at once, and one that runs
 * nothing but JavaScript is terminated, whatever holds it. A call into native code cannot be broken off: its thread ends when the call returns.
 */
export async function endWorker(
  { worker, ended, imported, marks }: EndableWorker,
  graceSeconds: number,
): Promise<void> {
  await within(Promise.race([ended, imported]), IMPORT_SECONDS);
  if (await within(ended, graceSeconds)) return;
  worker.postMessage({ type: "exit" } satisfies ToWorker);
  if (marks.mayTerminate()) await worker.terminate();
  await ended;
}

/** Whether a promise settles within a time. */
export async function within(promise: Promise<unknown>, seconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), seconds * 1000)));
  const settled = promise.then(
    () => true as const,
    () => true as const,
  );
  const isInTime = await Promise.race([settled, late]);
  clearTimeout(timer);
  return isInTime;
}
