import { finite, optional } from "../../foundation/validate/reader.ts";
import { EVENT_ROLES, eventDefinition, type EventDefinition } from "./event-definition.ts";

/** The rollout starts again at this step boundary. */
export interface ResetPayload {
  /** Seed of the new rollout; absent: the one before. */
  readonly seed?: number;
  /** How many resets were merged into this one while they waited; absent: 1. */
  readonly count?: number;
}

/** The session goes back to an earlier moment at this step boundary and goes on from there. */
export interface RewindPayload {
  /** The generation of the moment. */
  readonly generation: number;
  /** The step that came next there. */
  readonly stepIndex: number;
}

function withoutPayload(eventType: string, description: string): EventDefinition {
  return eventDefinition<Record<string, never>>({
    eventType,
    modality: "control",
    description,
    fields: {},
    role: EVENT_ROLES.control,
  });
}

/** The events that the driver takes for itself. */
export const controlEvents = [
  eventDefinition<ResetPayload>({
    eventType: "reset",
    modality: "control",
    description: "The rollout starts again; what is held stays held.",
    fields: {
      seed: optional(finite({ integer: true, min: 0 })),
      count: optional(finite({ integer: true, min: 1 })),
    },
    role: EVENT_ROLES.control,
  }),
  eventDefinition<RewindPayload>({
    eventType: "rewind",
    modality: "control",
    description: "The session goes back to an earlier moment and goes on from there; what is held stays held.",
    fields: { generation: finite({ integer: true, min: 0 }), stepIndex: finite({ integer: true, min: 0 }) },
    role: EVENT_ROLES.control,
  }),
  withoutPayload("pause", "Session time stands still."),
  withoutPayload("resume", "Session time goes on."),
  withoutPayload("close", "The run ends."),
] as const;
