import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import type { RestoreOptions } from "../model/inference-session.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { LeadEntry, SessionState } from "./session-state.ts";

/** Where a driver is after a restore. */
export interface RestoredPosition {
  /** What was held then. */
  readonly tracker: InputTracker;
  /** Session time in seconds. */
  readonly sessionSeconds: number;
  /** Frames of the steps so far, over all generations. */
  readonly timelineFrames: number;
}

/**
 * Brings a rollout to a moment: restores the snapshot, then does silently what leads from there, with exactly the inputs that it had. On failure
 * the rollout may be anywhere in between; take a snapshot before where it has to go on. A seed counts from the moment on, so that what leads to it is the same.
 */
export async function restoreState(
  rollout: Rollout,
  state: SessionState,
  options: RestoreOptions & { readonly signal?: AbortSignal } = {},
): Promise<RestoredPosition> {
  const { seed, signal } = options;
  const { lead, driver } = state;
  await rollout.restore(state.rollout, lead.length === 0 && seed !== undefined ? { seed } : {});
  let tracker = new InputTracker(driver.held);
  let { sessionSeconds, timelineFrames } = driver;
  for (const entry of lead) {
    if (entry.type === "reset") {
      tracker = new InputTracker();
      await rollout.reset({ seed: entry.seed, ...(signal === undefined ? {} : { signal }) });
      continue;
    }
    timelineFrames += await runSilently(rollout, entry, signal);
    for (const event of entry.inputs.events) tracker.resolve(event);
    sessionSeconds = entry.window.endSeconds;
  }
  if (lead.length > 0 && seed !== undefined) await rollout.restore(await rollout.snapshot(), { seed });
  return { tracker, sessionSeconds, timelineFrames };
}

async function runSilently(
  rollout: Rollout,
  { inputs, window }: Extract<LeadEntry, { type: "step" }>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const request = rollout.nextRequest();
  if (request === undefined) {
    throw new DreamloopError(
      ERROR_CODES.snapshotInvalid,
      "the snapshot cannot be read: the rollout is complete before the moment that it leads to",
    );
  }
  const { result } = await rollout.step(request, inputs, window, signal);
  try {
    await rollout.commit(signal);
  } finally {
    result.output?.release?.();
  }
  return result.frameCount;
}
