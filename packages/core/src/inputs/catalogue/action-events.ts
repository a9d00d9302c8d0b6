import { finite, flag, listOf, optional, text } from "../../foundation/validate/reader.ts";
import { eventDefinition } from "./event-definition.ts";

/** Greatest number of actions that are held at once. */
export const MAX_ACTIONS = 32;
/** Greatest length of the name of an axis or an action in UTF-16 units. */
export const MAX_NAME_LENGTH = 64;

/** Whether the input reaches the world. */
export interface FocusPayload {
  /** False releases everything that is held. */
  readonly focused: boolean;
  /** Why, such as `blur`, `hidden`, `pointer_lock`, `menu` or `link`; only for people. */
  readonly reason?: string;
}

/** A named axis was moved, by a script, a program or an on-screen stick. */
export interface AxisSetPayload {
  /** The name of the axis, such as `steer`. */
  readonly name: string;
  /** Its value from −1 to 1, held until the next. */
  readonly value: number;
}

/** The set of held actions, by a script, a program or on-screen buttons. */
export interface ActionSetPayload {
  /** Names of all actions that are held now. */
  readonly actions: readonly string[];
  /**
   * Actions that began since the set before this one, also when they have ended. Absent in what a sender gives: found by comparison
   * with the set before. Always there in what a converter gets.
   */
  readonly pressed?: readonly string[];
}

const name = text({ maxLength: MAX_NAME_LENGTH });

/** The events of focus, named axes and named actions. */
export const actionEvents = [
  eventDefinition<FocusPayload>({
    eventType: "focus",
    modality: "focus",
    description: "Whether the input reaches the world; its loss releases everything that is held.",
    fields: { focused: flag, reason: optional(text({ maxLength: 32 })) },
  }),
  eventDefinition<AxisSetPayload>({
    eventType: "axis_set",
    modality: "axis",
    description: "A named axis moved; its value is held until the next.",
    fields: { name, value: finite({ min: -1, max: 1 }) },
    foldKey: (payload) => payload.name,
  }),
  eventDefinition<ActionSetPayload>({
    eventType: "action_set",
    modality: "actions",
    description: "All named actions that are held now.",
    fields: {
      actions: listOf(name, { max: MAX_ACTIONS }),
      pressed: optional(listOf(name, { max: 2 * MAX_ACTIONS })),
    },
  }),
] as const;
