import type { PointerPayload } from "../catalogue/pointer-events.ts";
import { payloadOf } from "../event-catalogue.ts";
import type { UserInputEvent } from "../user-input-event.ts";

/** The number of a client message. */
export interface MessageNumber {
  /** Number within its epoch. */
  readonly sequence: number;
  /** The stretch over which numbers rise, where one was given. */
  readonly epoch?: number;
}

/** An event that waits for its window. */
export interface PendingEvent {
  /** The event; never older than the one before it. */
  readonly event: UserInputEvent;
  /** The newest client message that is included once this event is. */
  readonly message?: MessageNumber;
  /** The event's time as it was stamped, where it had to be moved. */
  readonly originalSeconds?: number;
}

/** Whether the event is a movement that adds up and that a reset clears. */
export function isDelta(event: UserInputEvent): boolean {
  return event.eventType === "mouse_move" || event.eventType === "mouse_wheel";
}

/** Whether the rollout goes on from another state after the event: a reset or a rewind. */
export function isRestart(event: UserInputEvent): boolean {
  return event.eventType === "reset" || event.eventType === "rewind";
}

/** Whether the event is an edge of a key or a button. */
export function isKeyOrButton(event: UserInputEvent): boolean {
  return event.eventType === "key_down" || event.eventType === "key_up" || event.eventType === "mouse_button";
}

/** The pointer or finger that an event is about, if it is about one. */
export function pointerOf(event: UserInputEvent): PointerPayload | undefined {
  if (event.eventType === "pointer") return payloadOf(event, "pointer");
  return event.eventType === "touch" ? payloadOf(event, "touch") : undefined;
}

/** Whether the order of the event among others matters: edges and the coming and going of pointers. */
export function isOrdered(event: UserInputEvent): boolean {
  if (isKeyOrButton(event)) return true;
  const pointer = pointerOf(event);
  return pointer !== undefined && pointer.phase !== "move";
}

/** How often an edge that goes down tells that its key or button was pressed. */
export function pressesOf(event: UserInputEvent): number {
  const { presses } = event.payload as { readonly presses?: number };
  return presses ?? 1;
}
