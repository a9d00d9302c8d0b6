import type { EventCatalogue } from "../event-catalogue.ts";
import { ExactSum } from "../held/exact-sum.ts";
import { joinPresses } from "../held/held-pad.ts";
import { madeEvent } from "../held/made-events.ts";
import type { UserInputEvent } from "../user-input-event.ts";
import { isDelta, isKeyOrButton, isRestart, pointerOf, type PendingEvent } from "./pending-event.ts";

/** What rounding has left of the movements that were told so far; it counts with the next ones. */
export class DeltaRests {
  /** Sums by event type and axis. */
  readonly #sums = new Map<string, readonly [ExactSum, ExactSum]>();

  /** Adds movements of one type up; the rest of the rounding stays here. */
  add(eventType: string, movements: readonly PendingEvent[]): PendingEvent {
    let sums = this.#sums.get(eventType);
    if (sums === undefined) this.#sums.set(eventType, (sums = [new ExactSum(), new ExactSum()]));
    for (const { event } of movements) {
      const { deltaX, deltaY } = event.payload as { readonly deltaX: number; readonly deltaY: number };
      sums[0].add(deltaX);
      sums[1].add(deltaY);
    }
    const last = movements[movements.length - 1];
    const payload = { deltaX: sums[0].take(), deltaY: sums[1].take() };
    const before = last.event.payload;
    if (payload.deltaX === before.deltaX && payload.deltaY === before.deltaY) return last;
    return { ...last, event: madeEvent(last.event, eventType, payload) };
  }
}

/** What `coalesce` gives. */
export interface Coalesced {
  /** What is left, in order. */
  readonly pending: readonly PendingEvent[];
  /** How many events were merged into later ones. */
  readonly superseded: number;
}

/**
 * Merges events that say together what the last of them can say: movements add up; of states, conditions and events with the same fold
 * key the newest is kept, with all presses in between; movements of a pointer between its coming and going become the last. What is merged stands
 * where its newest part stood. Edges and control stay as they are, and nothing is merged across a reset or a rewind.
 */
export function coalesce(pending: readonly PendingEvent[], rests: DeltaRests, catalogue: EventCatalogue): Coalesced {
  const kept: (PendingEvent | undefined)[] = [];
  const newest = new Map<string, number>();
  const movements = new Map<string, PendingEvent[]>();
  let superseded = 0;
  const finishMovements = (): void => {
    for (const [eventType, parts] of movements) kept[newest.get(eventType) as number] = rests.add(eventType, parts);
    movements.clear();
    newest.clear();
  };
  for (const item of pending) {
    const { event } = item;
    const { eventType } = event;
    if (isRestart(event)) finishMovements();
    const key = mergeKey(item, catalogue);
    if (key === undefined) {
      if (pointerOf(event) !== undefined) newest.delete(keyOf(item, catalogue));
      kept.push(item);
      continue;
    }
    if (isDelta(event)) {
      const parts = movements.get(eventType);
      if (parts === undefined) movements.set(eventType, [item]);
      else parts.push(item);
    }
    const before = newest.get(key);
    newest.set(key, kept.length);
    if (before === undefined) {
      kept.push(item);
      continue;
    }
    superseded += 1;
    kept.push({ ...item, event: withPressesOf((kept[before] as PendingEvent).event, event) });
    kept[before] = undefined;
  }
  finishMovements();
  return {
    pending: superseded === 0 ? (kept as PendingEvent[]) : kept.filter((item) => item !== undefined),
    superseded,
  };
}

/** Events of the same key replace each other; `undefined`: the event stays. */
function mergeKey(item: PendingEvent, catalogue: EventCatalogue): string | undefined {
  const { event } = item;
  if (isKeyOrButton(event) || catalogue.isControl(event.eventType)) return undefined;
  if (isDelta(event)) return event.eventType;
  const pointer = pointerOf(event);
  if (pointer !== undefined && pointer.phase !== "move") return undefined;
  return keyOf(item, catalogue);
}

function keyOf({ event }: PendingEvent, catalogue: EventCatalogue): string {
  const definition = catalogue.definitions.get(event.eventType);
  return `${event.eventType}:${definition?.foldKey(event.payload) ?? ""}`;
}

/** The later event, with the presses that only the earlier one tells. */
export function withPressesOf(earlier: UserInputEvent, later: UserInputEvent): UserInputEvent {
  const before = earlier.payload.pressed;
  if (!Array.isArray(before) || before.length === 0) return later;
  const pressed = joinPresses(before as readonly unknown[], later.payload.pressed as readonly unknown[] | undefined);
  return madeEvent(later, later.eventType, Object.freeze({ ...later.payload, pressed }));
}
