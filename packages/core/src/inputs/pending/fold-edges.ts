import type { PointerPayload } from "../catalogue/pointer-events.ts";
import { payloadOf } from "../event-catalogue.ts";
import { buttonEvent, keyEvent, madeEvent, type EventOrigin } from "../held/made-events.ts";
import { edgesOf, type Transition } from "../held/transitions.ts";
import type { UserInputEvent } from "../user-input-event.ts";
import { pointerOf, pressesOf } from "./pending-event.ts";

/** What was held before the events that are folded. */
export interface HeldBefore {
  /** Whether a key was held. */
  isKeyHeld(code: string): boolean;
  /** Whether a mouse button was held. */
  isButtonHeld(button: number): boolean;
  /** Whether a pointer (`pointer`) or finger (`touch`) was down. */
  isPointerDown(eventType: string, id: number): boolean;
}

/** Folded events, and how many complete taps had to be left out. */
export interface FoldedEdges {
  /** At most two events for each key or button, at most three for each pointer. */
  readonly events: readonly UserInputEvent[];
  /** Keys and pointers that came and went, and of which too many had. */
  readonly droppedTaps: number;
}

/** Folds edges of keys: held set, presses and releases stay exact. Of more than `limit` codes, those that were only tapped go first. */
export function foldKeys(
  events: readonly UserInputEvent[],
  before: HeldBefore,
  origin: EventOrigin,
  limit: number,
): FoldedEdges {
  const edges = events.filter((event) => event.eventType === "key_down" || event.eventType === "key_up");
  const transitions = transitionsOf(
    edges,
    (event) => (event.payload as { readonly code: string }).code,
    (event) => event.eventType === "key_down",
    (code) => before.isKeyHeld(code),
  );
  const { kept, dropped } = withoutOldestTaps(transitions, limit);
  return { events: edgesOf(kept).map((edge) => keyEvent(origin, edge)), droppedTaps: dropped };
}

/** Folds edges of mouse buttons. */
export function foldButtons(
  events: readonly UserInputEvent[],
  before: HeldBefore,
  origin: EventOrigin,
): readonly UserInputEvent[] {
  const transitions = transitionsOf(
    events.filter((event) => event.eventType === "mouse_button"),
    (event) => payloadOf(event, "mouse_button").button,
    (event) => payloadOf(event, "mouse_button").pressed,
    (button) => before.isButtonHeld(button),
  );
  return edgesOf(transitions).map((edge) => buttonEvent(origin, edge));
}

/**
 * Folds what pointers did: for each, the first going (when it was down and came again), the last coming, and the last of all. Of more than
 * `limit` pointers, those that came and went are left out first.
 */
export function foldPointers(
  events: readonly UserInputEvent[],
  before: HeldBefore,
  origin: EventOrigin,
  limit: number,
): FoldedEdges {
  const stories = new Map<string, PointerStory>();
  for (const event of events) {
    const pointer = pointerOf(event);
    if (pointer === undefined) continue;
    const key = `${event.eventType}:${pointer.id}`;
    const story = stories.get(key);
    stories.delete(key);
    stories.set(key, {
      eventType: event.eventType,
      wasDown: story?.wasDown ?? before.isPointerDown(event.eventType, pointer.id),
      firstEnd: story?.firstEnd ?? (isEnd(pointer) ? pointer : undefined),
      lastStart: pointer.phase === "start" ? pointer : story?.lastStart,
      last: pointer,
    });
  }
  const going: UserInputEvent[] = [];
  const coming: UserInputEvent[] = [];
  let excess = stories.size - limit;
  let droppedTaps = 0;
  for (const { eventType, wasDown, firstEnd, lastStart, last } of stories.values()) {
    if (!wasDown && isEnd(last) && excess > 0) {
      excess -= 1;
      droppedTaps += 1;
      continue;
    }
    const add = (list: UserInputEvent[], payload: PointerPayload): number =>
      list.push(madeEvent(origin, eventType, payload));
    if (wasDown && firstEnd !== undefined) add(going, firstEnd);
    if (lastStart !== undefined) add(coming, lastStart);
    const isTold = last === lastStart || (wasDown && last === firstEnd);
    const neverCame = !wasDown && lastStart === undefined && isEnd(last);
    if (!isTold && !neverCame) add(coming, last);
  }
  return { events: [...going, ...coming], droppedTaps };
}

interface PointerStory {
  readonly eventType: string;
  readonly wasDown: boolean;
  readonly firstEnd: PointerPayload | undefined;
  readonly lastStart: PointerPayload | undefined;
  readonly last: PointerPayload;
}

function isEnd(pointer: PointerPayload): boolean {
  return pointer.phase === "end" || pointer.phase === "cancel";
}

/** One transition for each code, in the order of the codes' last edges. */
function transitionsOf<Code>(
  edges: readonly UserInputEvent[],
  codeOf: (event: UserInputEvent) => Code,
  isDown: (event: UserInputEvent) => boolean,
  wasHeld: (code: Code) => boolean,
): Transition<Code>[] {
  const transitions = new Map<Code, Transition<Code>>();
  for (const event of edges) {
    const code = codeOf(event);
    const known = transitions.get(code);
    transitions.delete(code);
    const down = isDown(event);
    const presses = (known?.presses ?? 0) + (down ? pressesOf(event) : 0);
    transitions.set(code, { code, wasHeld: known?.wasHeld ?? wasHeld(code), isHeld: down, presses });
  }
  return [...transitions.values()];
}

function withoutOldestTaps(
  transitions: readonly Transition<string>[],
  limit: number,
): { readonly kept: readonly Transition<string>[]; readonly dropped: number } {
  let excess = transitions.length - limit;
  if (excess <= 0) return { kept: transitions, dropped: 0 };
  const kept = transitions.filter(({ wasHeld, isHeld }) => {
    if (wasHeld || isHeld || excess <= 0) return true;
    excess -= 1;
    return false;
  });
  return { kept, dropped: transitions.length - kept.length };
}
