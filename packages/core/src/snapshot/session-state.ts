import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { InputTrackerState } from "../inputs/held/tracker-state.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { userInputs, type UserInputs, type UserInputsInput } from "../inputs/user-inputs.ts";
import type { RolloutSnapshot } from "../rollout/rollout-types.ts";
import { timeWindow, type TimeWindow, type TimeWindowInput } from "../foundation/time/time-window.ts";
import { finite, listOf, mapping, oneOf, text, type Reader } from "../foundation/validate/reader.ts";
import { made, shape } from "../foundation/validate/record.ts";

/** What a driver counts beside the rollout. */
export interface DriverState {
  /** What is held on every device. */
  readonly held: InputTrackerState;
  /** Session time at the end of the last window, in seconds. */
  readonly sessionSeconds: number;
  /** Frames of the steps so far, over all generations. */
  readonly timelineFrames: number;
}

/** Something to do silently after a restore, exactly as it was done before. */
export type LeadEntry =
  /** The rollout starts again with this seed. */
  | { readonly type: "reset"; readonly seed: number }
  /** One step with the inputs that converters saw, control events taken out. */
  | { readonly type: "step"; readonly window: TimeWindow; readonly inputs: UserInputs };

/**
 * The complete state of a session at a step boundary: model, caches, converters, mapping, random position and driver. Plain data that
 * can be cloned and depends on no process. `lead` leads from the snapshot to the moment that is meant, when no snapshot was taken there.
 */
export interface SessionState {
  /** Model, converters and mapping with their counters. */
  readonly rollout: RolloutSnapshot;
  /** The driver. */
  readonly driver: DriverState;
  /** What to do silently after the restore; empty: the snapshot is the moment. */
  readonly lead: readonly LeadEntry[];
}

/** Entries of a lead at most. */
export const MAX_LEAD_ENTRIES = 100_000;

const count = finite({ integer: true, min: 0 });
const anything: Reader<unknown> = (value) => value;

const tracker: Reader<InputTrackerState> = (value, path) => {
  try {
    // The tracker reads its own state: what is no state of one does not come back the same.
    return new InputTracker(mapping(value, path) as unknown as InputTrackerState).save();
  } catch (cause) {
    if (isDreamloopError(cause)) throw cause;
    const message = `${path}: expected what is held on each device, found another value (${String(cause)})`;
    throw new DreamloopError(ERROR_CODES.invalidValue, message, { cause });
  }
};

const leadEntry: Reader<LeadEntry> = (value, path) => {
  const { type } = mapping(value, path);
  if (type === "reset") {
    return shape<Extract<LeadEntry, { type: "reset" }>>({ type: oneOf({ reset: "reset" } as const), seed: count })(
      value,
      path,
    );
  }
  return shape<Extract<LeadEntry, { type: "step" }>>({
    type: oneOf({ step: "step" } as const),
    window: made((given) => timeWindow(given as TimeWindowInput)),
    inputs: made((given) => userInputs(given as UserInputsInput)),
  })(value, path);
};

const readState = shape<SessionState>({
  rollout: shape<RolloutSnapshot>({
    generation: count,
    stepIndex: count,
    stepNumber: count,
    seed: count,
    initial: mapping,
    canonicalizerState: mapping,
    mappingState: anything,
    session: shape<RolloutSnapshot["session"]>({ version: text({ maxLength: 1000 }), data: anything }),
  }),
  driver: shape<DriverState>({ held: tracker, sessionSeconds: finite({ min: 0 }), timelineFrames: count }),
  lead: listOf(leadEntry, { max: MAX_LEAD_ENTRIES }),
});

/** Reads a session's state that comes from outside; throws `invalid_value` naming the place. What adapter, mapping and converters keep in it is theirs to read. */
export function readSessionState(value: unknown): SessionState {
  return readState(value, "SessionState");
}

/** What can be known of a state without restoring it. */
export interface StatePosition {
  /** Resets and rewinds before it. */
  readonly generation: number;
  /** The step of its generation that comes next. */
  readonly stepIndex: number;
  /** Session time in seconds. */
  readonly sessionSeconds: number;
  /** Seed of the rollout. */
  readonly seed: number;
}

/** Where in its session a state is, its lead included. */
export function positionOf({ rollout, driver, lead }: SessionState): StatePosition {
  let { generation, stepIndex, seed } = rollout;
  let { sessionSeconds } = driver;
  for (const entry of lead) {
    if (entry.type === "reset") {
      generation += 1;
      stepIndex = 0;
      ({ seed } = entry);
    } else {
      stepIndex += 1;
      sessionSeconds = entry.window.endSeconds;
    }
  }
  return { generation, stepIndex, sessionSeconds, seed };
}

/** What is held on each device at the moment of a state, its lead included. */
export function heldAt({ driver, lead }: SessionState): InputTrackerState {
  let tracker = new InputTracker(driver.held);
  for (const entry of lead) {
    if (entry.type === "reset") tracker = new InputTracker();
    else for (const event of entry.inputs.events) tracker.resolve(event);
  }
  return tracker.save();
}

/** The state without values that have methods, as it is packed. */
export function plainState(state: SessionState): object {
  const { rollout, driver, lead } = state;
  return { rollout, driver, lead: lead.map(plainEntry) };
}

function plainEntry(entry: LeadEntry): object {
  if (entry.type === "reset") return entry;
  const { window, inputs } = entry;
  const { startSeconds, endSeconds } = window;
  const { events, snapshot, metadata } = inputs;
  return { type: "step", window: { startSeconds, endSeconds }, inputs: { events, snapshot, metadata } };
}
