import { madeEvent, type EventOrigin } from "../held/made-events.ts";
import type { InputTracker } from "../input-tracker.ts";
import type { UserInputEvent } from "../user-input-event.ts";
import { withPressesOf } from "./coalesce.ts";
import { foldButtons, foldKeys, foldPointers, type HeldBefore } from "./fold-edges.ts";
import { isKeyOrButton, pointerOf } from "./pending-event.ts";

/** The source of events that bring converters to what is held after a reset or a rewind. */
export const RESET_SOURCE = "reset";

const LEVELS: ReadonlySet<string> = new Set(["gamepad_state", "wheel_state", "axis_set", "action_set", "focus"]);

/** Fresh converters hold nothing. */
const FRESH: HeldBefore = { isKeyHeld: () => false, isButtonHeld: () => false, isPointerDown: () => false };

/** Whether `reappliedEvents` tells what the event says; others (conditions, types of other packages) stay as they are. */
export function isReapplied(event: UserInputEvent): boolean {
  return isKeyOrButton(event) || pointerOf(event) !== undefined || LEVELS.has(event.eventType);
}

/**
 * What fresh converters have to hear at a reset: what `tracker` holds then, and the presses of `early`, the resolved events of the same window
 * before it. A press is told once, whether it lasts or has ended.
 */
export function reappliedEvents(
  early: readonly UserInputEvent[],
  tracker: InputTracker,
  reset: UserInputEvent,
): readonly UserInputEvent[] {
  const origin: EventOrigin = { timestampSeconds: reset.timestampSeconds, source: RESET_SOURCE };
  const held = tracker.heldEvents(reset.timestampSeconds, RESET_SOURCE);
  // Held state counts no press and comes first; the window's own edges then count theirs on top of it.
  const edges = [...held, ...early];
  // Of levels the held ones are the newest.
  const levels = newestLevels([...early, ...held], origin);
  return [
    ...levels.filter((event) => event.eventType === "focus"),
    ...foldKeys(edges, FRESH, origin, Infinity).events,
    ...foldButtons(edges, FRESH, origin),
    ...foldPointers(edges, FRESH, origin, Infinity).events,
    ...levels.filter((event) => event.eventType !== "focus"),
  ];
}

/**
 * What converters have to hear that were brought back to an earlier moment, before they hear what is held now (`reappliedEvents`): everything
 * that was held then (`then`) is released. `focused` says whether the input reaches the world now.
 */
export function rewindBridge(
  then: InputTracker,
  options: { readonly focused: boolean | undefined; readonly timestampSeconds: number },
): readonly UserInputEvent[] {
  const { focused, timestampSeconds } = options;
  const released = then.clone().releaseAll(timestampSeconds, RESET_SOURCE);
  const releases = released.filter((event) => event.eventType !== "focus");
  if (then.focused !== false || focused === false) return releases;
  return [...releases, madeEvent({ timestampSeconds, source: RESET_SOURCE }, "focus", { focused: true })];
}

/** The newest state of each pad, axis, and of actions and focus, with the presses of those before it. */
function newestLevels(events: readonly UserInputEvent[], origin: EventOrigin): readonly UserInputEvent[] {
  const newest = new Map<string, UserInputEvent>();
  for (const event of events) {
    const { eventType, payload } = event;
    if (!LEVELS.has(eventType)) continue;
    const { index = 0, name = "" } = payload as { readonly index?: number; readonly name?: string };
    const key = `${eventType}:${index}:${name}`;
    const before = newest.get(key);
    newest.delete(key);
    newest.set(
      key,
      madeEvent(origin, eventType, (before === undefined ? event : withPressesOf(before, event)).payload),
    );
  }
  return [...newest.values()];
}
