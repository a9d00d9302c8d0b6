import type { EventCatalogue } from "../event-catalogue.ts";
import { madeEvent } from "../held/made-events.ts";
import type { InputTracker } from "../input-tracker.ts";
import type { UserInputEvent } from "../user-input-event.ts";
import { coalesce, type DeltaRests } from "./coalesce.ts";
import { foldButtons, foldKeys, foldPointers } from "./fold-edges.ts";
import { isKeyOrButton, isRestart, pointerOf, type MessageNumber, type PendingEvent } from "./pending-event.ts";

/** Keys, pointers, and other fold keys of a type that folded events may name at most. */
export const MAX_FOLDED_KEYS = 64;

/** What `fold` gives. */
export interface Folded {
  /** What is left, all at the time of the oldest event. */
  readonly pending: readonly PendingEvent[];
  /** The newest client message that is included once all of it is. */
  readonly message: MessageNumber | undefined;
  /** How many events were merged into others. */
  readonly superseded: number;
  /** Complete taps and conditions with a key of their own that were left out, since too many had come. */
  readonly dropped: number;
}

/**
 * Folds all events that wait into the least that leads to the same: at most one rewind and one reset; on each side of them the last of `pause` and
 * `resume`, at most two edges for each key, one sum of movements, the newest states and conditions. All stand at the time of the oldest, so
 * that a flood is never put off. `held` is what was held before them and is not changed.
 */
export function fold(
  pending: readonly PendingEvent[],
  held: InputTracker,
  rests: DeltaRests,
  catalogue: EventCatalogue,
): Folded {
  const merged = coalesce(pending, rests, catalogue);
  const events = merged.pending.map((item) => item.event);
  const timestampSeconds = pending[0].event.timestampSeconds;
  const tracker = held.clone();
  const lastRestart = events.findLastIndex(isRestart);
  const before = events.slice(0, Math.max(0, lastRestart)).filter((event) => !isRestart(event));
  const parts = [
    foldSegment(before, tracker, timestampSeconds, catalogue),
    { events: mergedRestarts(events), dropped: 0 },
    foldSegment(events.slice(lastRestart + 1), tracker, timestampSeconds, catalogue),
  ];
  const folded = parts.flatMap((part) => part.events).map((event) => atTime(event, timestampSeconds));
  const dropped = parts.reduce((sum, part) => sum + part.dropped, 0);
  const message = pending.findLast((item) => item.message !== undefined)?.message;
  return {
    pending: folded.map((event, index) =>
      index === folded.length - 1 && message !== undefined ? { event, message } : { event },
    ),
    message,
    superseded: Math.max(0, pending.length - folded.length - dropped),
    dropped,
  };
}

/** The last rewind, and all resets after it in one: whatever came before a rewind is undone by it. */
export function mergedRestarts(events: readonly UserInputEvent[]): readonly UserInputEvent[] {
  const lastRewind = events.findLastIndex((event) => event.eventType === "rewind");
  const rewind = events[lastRewind];
  const resets = mergedReset(events.slice(lastRewind + 1));
  return rewind === undefined ? resets : [rewind, ...resets];
}

/** All resets in one: the last seed that was given counts, as each without a seed keeps the one before. */
export function mergedReset(events: readonly UserInputEvent[]): readonly UserInputEvent[] {
  const resets = events.filter((event) => event.eventType === "reset");
  const last = resets[resets.length - 1];
  if (last === undefined || resets.length === 1) return resets;
  let seed: unknown;
  let count = 0;
  for (const { payload } of resets) {
    seed = payload.seed ?? seed;
    count += (payload.count as number | undefined) ?? 1;
  }
  return [madeEvent(last, "reset", seed === undefined ? { count } : { seed, count })];
}

function foldSegment(
  events: readonly UserInputEvent[],
  tracker: InputTracker,
  timestampSeconds: number,
  catalogue: EventCatalogue,
): { readonly events: readonly UserInputEvent[]; readonly dropped: number } {
  const origin = { timestampSeconds };
  const lastOf = (...types: readonly string[]): readonly UserInputEvent[] => {
    const last = events.findLast((event) => types.includes(event.eventType));
    return last === undefined ? [] : [last];
  };
  const keys = foldKeys(events, tracker, origin, MAX_FOLDED_KEYS);
  const pointers = foldPointers(events, tracker, origin, MAX_FOLDED_KEYS);
  const others = newestOfEachType(
    events.filter(
      (event) =>
        event.eventType !== "focus" &&
        !isKeyOrButton(event) &&
        pointerOf(event) === undefined &&
        !catalogue.isControl(event.eventType),
    ),
  );
  const device = [
    ...lastOf("focus"),
    ...keys.events,
    ...foldButtons(events, tracker, origin),
    ...pointers.events,
    ...others.kept,
  ];
  return {
    // What changes nothing goes here; how many states and axes may stay is bounded by what can be held.
    events: [...lastOf("pause", "resume"), ...lastOf("close"), ...device.flatMap((event) => tracker.resolve(event))],
    dropped: keys.droppedTaps + pointers.droppedTaps + others.dropped,
  };
}

/** At most `MAX_FOLDED_KEYS` of each type that is kept by key and holds nothing; the newest stay. */
function newestOfEachType(events: readonly UserInputEvent[]): {
  readonly kept: readonly UserInputEvent[];
  readonly dropped: number;
} {
  const counts = new Map<string, number>();
  const kept: UserInputEvent[] = [];
  for (const event of [...events].reverse()) {
    const count = (counts.get(event.eventType) ?? 0) + 1;
    counts.set(event.eventType, count);
    if (count <= MAX_FOLDED_KEYS || event.eventType === "axis_set") kept.push(event);
  }
  return { kept: kept.reverse(), dropped: events.length - kept.length };
}

function atTime(event: UserInputEvent, timestampSeconds: number): UserInputEvent {
  return event.timestampSeconds === timestampSeconds
    ? event
    : madeEvent({ ...event, timestampSeconds }, event.eventType, event.payload);
}
