import type { UserInputEvent } from "./user-input-event.ts";
import { userInputs, type UserInputs } from "./user-inputs.ts";
import { isControlEvent, payloadOf } from "./event-catalogue.ts";
import type { InputTracker } from "./input-tracker.ts";
import type { OriginalTime } from "./pending-input.ts";
import { mergedRestarts } from "./pending/fold.ts";
import { isDelta, isRestart } from "./pending/pending-event.ts";
import { isReapplied, reappliedEvents } from "./pending/reapply.ts";

/** A reset that a window asks for. */
export interface ResetOrder {
  /** The seed that the last reset with a seed gave; absent: keep the one in force. */
  readonly seed?: number;
  /** How many resets it stands for. */
  readonly count: number;
}

/** A moment that a window asks to go back to. */
export interface RewindOrder {
  /** The generation of the moment. */
  readonly generation: number;
  /** The step that came next there. */
  readonly stepIndex: number;
}

/** The orders to the driver in one window. */
export interface ControlOrders {
  /** The last moment that the window asks to go back to; resets before it are void. */
  readonly rewind?: RewindOrder;
  /** One entry when the window holds a reset after its last rewind, however many: they are applied together at the step boundary. Else empty. */
  readonly resets: readonly ResetOrder[];
  /** What the last of `pause` and `resume` says; absent when there was none. */
  readonly paused?: boolean;
  /** Whether the run is to end. */
  readonly close: boolean;
}

/** What `splitControl` gives. */
export interface SplitInputs {
  /** The orders. */
  readonly control: ControlOrders;
  /** The inputs for converters, without control events. */
  readonly inputs: UserInputs;
  /** Movements before the last reset that were cleared. */
  readonly clearedDeltas: number;
}

const NO_ORDERS: ControlOrders = Object.freeze({ resets: Object.freeze([]), close: false });

/**
 * Takes a window's control events out and applies the reset rule to the rest. `tracker` is the driver's own, at the start of the window; it is
 * advanced to the end, so keep a `clone()` where the window may have to be undone.
 *
 * A driver calls it once for each window that it reads, then
 * 1. if there is a rewind: restores that moment as a new generation, and brings its converters to what is held now with `rewindBridge`;
 * 2. if there is a reset: raises the generation and makes converter, mapping and model state afresh, with `seed` if there is one;
 * 3. if `close`: ends;
 * 4. steps with `inputs`.
 *
 * With a reset or a rewind in the window, movements before it are left out and counted. All else before it is brought to the fresh converters in its least
 * form at the time of the reset: what is held then, with the presses of the window (0 for what was held before), taps that have ended,
 * pad buttons and actions that were pressed. Conditions before it stay as they are, for they amend the new rollout too. Without control events the
 * very same inputs come back.
 *
 * Sources may give unresolved events (states, repetitions); what comes back is resolved. `metadata.originalTimes` follows the events.
 */
export function splitControl(inputs: UserInputs, tracker: InputTracker): SplitInputs {
  const lastRestart = inputs.events.findLastIndex(isRestart);
  const kept: UserInputEvent[] = [];
  const keptFrom: number[] = [];
  const early: UserInputEvent[] = [];
  let clearedDeltas = 0;
  let isSame = true;
  for (const [index, event] of inputs.events.entries()) {
    if (isControlEvent(event)) {
      isSame = false;
      if (index !== lastRestart) continue;
      for (const reapplied of reappliedEvents(early, tracker, event)) {
        kept.push(reapplied);
        keptFrom.push(-1);
      }
      continue;
    }
    const resolved = tracker.resolve(event);
    if (resolved.length !== 1 || resolved[0] !== event) isSame = false;
    for (const part of resolved) {
      if (index < lastRestart && isDelta(part)) clearedDeltas += 1;
      else if (index < lastRestart && isReapplied(part)) early.push(part);
      else {
        kept.push(part);
        keptFrom.push(index);
      }
    }
  }
  if (isSame) return { control: NO_ORDERS, inputs, clearedDeltas: 0 };
  const split = userInputs({ events: kept, snapshot: inputs.snapshot, metadata: metadataOf(inputs, keptFrom) });
  return { control: ordersOf(inputs.events), inputs: split, clearedDeltas };
}

function ordersOf(events: readonly UserInputEvent[]): ControlOrders {
  const pause = events.findLast((event) => event.eventType === "pause" || event.eventType === "resume");
  const restarts = mergedRestarts(events);
  const rewind = restarts.find((event) => event.eventType === "rewind");
  const resets = restarts
    .filter((event) => event !== rewind)
    .map(({ payload }) => {
      const { seed, count = 1 } = payload as { readonly seed?: number; readonly count?: number };
      return Object.freeze(seed === undefined ? { count } : { seed, count });
    });
  return Object.freeze({
    ...(rewind === undefined ? {} : { rewind: payloadOf(rewind, "rewind") }),
    resets: Object.freeze(resets),
    ...(pause === undefined ? {} : { paused: pause.eventType === "pause" }),
    close: events.some((event) => event.eventType === "close"),
  });
}

/** The metadata with the original times at the new places of their events. */
function metadataOf(inputs: UserInputs, keptFrom: readonly number[]): UserInputs["metadata"] {
  const { originalTimes, ...others } = inputs.metadata;
  if (!Array.isArray(originalTimes)) return inputs.metadata;
  const times = new Map(
    (originalTimes as readonly OriginalTime[]).map((entry) => [entry.eventIndex, entry.timestampSeconds]),
  );
  const moved = keptFrom.flatMap((from, eventIndex) => {
    const timestampSeconds = times.get(from);
    return timestampSeconds === undefined ? [] : [{ eventIndex, timestampSeconds }];
  });
  return moved.length === 0 ? others : { ...others, originalTimes: Object.freeze(moved) };
}
