import type { Mapping } from "../../foundation/validate/reader.ts";
import { trustedEvent, type UserInputEvent } from "../user-input-event.ts";
import type { Edge } from "./transitions.ts";

/** When an event happened and who it comes from. */
export type EventOrigin = Pick<UserInputEvent, "timestampSeconds" | "source" | "sourceEventId">;

/** No events at all. */
export const NO_EVENTS: readonly UserInputEvent[] = Object.freeze([]);

/** An event of the same time and source as another. */
export function madeEvent(origin: EventOrigin, eventType: string, payload: object): UserInputEvent {
  const { timestampSeconds, source, sourceEventId } = origin;
  return trustedEvent({
    timestampSeconds,
    eventType,
    payload: Object.freeze(payload) as Mapping,
    ...(source === undefined ? {} : { source }),
    ...(sourceEventId === undefined ? {} : { sourceEventId }),
  });
}

/** The event itself where its payload passes unchanged, one with the new payload, or nothing. */
export function passOne(event: UserInputEvent, payload: object | undefined): readonly UserInputEvent[] {
  if (payload === undefined) return NO_EVENTS;
  return [payload === event.payload ? event : madeEvent(event, event.eventType, payload)];
}

/** As `passOne`, for several payloads. */
export function passAll(event: UserInputEvent, payloads: readonly object[]): readonly UserInputEvent[] {
  return payloads.length === 0 ? NO_EVENTS : payloads.flatMap((payload) => passOne(event, payload));
}

/** The event that tells an edge of a key. */
export function keyEvent(origin: EventOrigin, edge: Edge<string>): UserInputEvent {
  const { code, down, presses } = edge;
  return madeEvent(origin, down ? "key_down" : "key_up", down ? { code, presses } : { code });
}

/** The event that tells an edge of a mouse button. */
export function buttonEvent(origin: EventOrigin, edge: Edge<number>): UserInputEvent {
  const { code: button, down: pressed, presses } = edge;
  return madeEvent(origin, "mouse_button", pressed ? { button, pressed, presses } : { button, pressed });
}
