import type { UserInputEvent } from "../../inputs/user-input-event.ts";
import { flag, finite, text, type TextLimits } from "../../foundation/validate/reader.ts";

/** The part of an event that readers of its payload need. */
export type PayloadEvent = Pick<UserInputEvent, "eventType" | "payload">;

const anyNumber = finite();
const unit = finite({ min: 0, max: 1 });
const signedUnit = finite({ min: -1, max: 1 });
const count = finite({ integer: true, min: 0 });

function path(event: PayloadEvent, field: string): string {
  return `UserInputEvent(${event.eventType}).payload.${field}`;
}

/** A finite number; NaN would spread from here into the model. */
export function payloadNumber(event: PayloadEvent, field: string): number {
  const value = event.payload[field];
  return Number.isFinite(value) ? (value as number) : anyNumber(value, path(event, field));
}

/** A number from 0 to 1. */
export function payloadUnit(event: PayloadEvent, field: string): number {
  return unit(event.payload[field], path(event, field));
}

/** A number from -1 to 1. */
export function payloadSignedUnit(event: PayloadEvent, field: string): number {
  return signedUnit(event.payload[field], path(event, field));
}

/** An integer of at least 0, or `fallback` when it is absent. */
export function payloadCount(event: PayloadEvent, field: string, fallback: number): number {
  const value = event.payload[field];
  return value === undefined ? fallback : count(value, path(event, field));
}

/** True or false. */
export function payloadFlag(event: PayloadEvent, field: string): boolean {
  return flag(event.payload[field], path(event, field));
}

/** A string. */
export function payloadText(event: PayloadEvent, field: string, limits: TextLimits = {}): string {
  return text(limits)(event.payload[field], path(event, field));
}
