import { finite, mapping, optional, text, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { markMade, recordFactory } from "../foundation/validate/record.ts";

/** One raw, timestamped, edge-triggered event of a device, a transport, a trace or a script. */
export interface UserInputEvent {
  /** Seconds on the session's monotonic timeline, finite, at least 0; stamped before queuing. */
  readonly timestampSeconds: number;
  /** The kind of event, such as `key_down`; not blank. */
  readonly eventType: string;
  /** The content by field name; default empty. */
  readonly payload: Mapping;
  /** Who made it, such as `browser` or `timeout`. */
  readonly source?: string;
  /** Correlation id from a transport or a trace; never identity. */
  readonly sourceEventId?: string;
}

/** What the factory of `UserInputEvent` takes. */
export interface UserInputEventInput extends Omit<UserInputEvent, "payload"> {
  /** The content by field name; default empty. */
  readonly payload?: Mapping;
}

const make = recordFactory<UserInputEvent>("UserInputEvent", {
  timestampSeconds: finite({ min: 0 }),
  eventType: text({ maxLength: 128 }),
  payload: withDefault(mapping, Object.freeze({})),
  source: optional(text({ maxLength: 128 })),
  sourceEventId: optional(text({ maxLength: 256 })),
});

/** Makes a `UserInputEvent`; refuses a time that is not finite or is negative, a blank type, wrong types and unknown keys. */
export function userInputEvent(input: UserInputEventInput): UserInputEvent {
  return make(input);
}

/** An event made of parts that have been validated: for the hot path inside the core. The payload must be frozen. */
export function trustedEvent(event: UserInputEvent): UserInputEvent {
  return markMade({ ...event }, "UserInputEvent");
}
