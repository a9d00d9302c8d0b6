import { finite, oneOf, optional } from "../../foundation/validate/reader.ts";
import { eventDefinition, type EventDefinition } from "./event-definition.ts";

/** What a pointer or a finger does. */
export const POINTER_PHASES = {
  /** It came down. */
  start: "start",
  /** It moves while it is down. */
  move: "move",
  /** It was lifted. */
  end: "end",
  /** It was taken away from the page: held state ends, nothing was meant by it. */
  cancel: "cancel",
} as const;

/** One of `POINTER_PHASES`. */
export type PointerPhase = (typeof POINTER_PHASES)[keyof typeof POINTER_PHASES];

/** A pointer on the picture: a pen, a mouse that drags, a finger. */
export interface PointerPayload {
  /** Which pointer, at least 0. */
  readonly id: number;
  /** What it does. */
  readonly phase: PointerPhase;
  /** Place from the left edge (0) to the right edge (1) of the picture. */
  readonly x: number;
  /** Place from the top edge (0) to the bottom edge (1) of the picture. */
  readonly y: number;
  /** Pressure from 0 to 1 where the device tells it. */
  readonly pressure?: number;
}

const unit = finite({ min: 0, max: 1 });

function pointerDefinition(eventType: string, description: string): EventDefinition {
  return eventDefinition<PointerPayload>({
    eventType,
    modality: eventType,
    description,
    fields: {
      id: finite({ integer: true, min: 0 }),
      phase: oneOf(POINTER_PHASES),
      x: unit,
      y: unit,
      pressure: optional(unit),
    },
    foldKey: (payload) => String(payload.id),
  });
}

/** The events of pointers and touch screens. */
export const pointerEvents = [
  pointerDefinition("pointer", "A pen or a dragging mouse on the picture."),
  pointerDefinition("touch", "A finger on the picture."),
] as const;
