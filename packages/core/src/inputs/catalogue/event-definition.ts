import {
  callable,
  isPlainObject,
  listOf,
  oneOf,
  optional,
  refuse,
  text,
  withDefault,
  type Mapping,
  type Reader,
} from "../../foundation/validate/reader.ts";
import { recordFactory, shape, type FieldReaders } from "../../foundation/validate/record.ts";

/** Who an event is for. */
export const EVENT_ROLES = {
  /** The state or a movement of a device: converters turn it into canonical values. */
  device: "device",
  /** A condition that arrives while the world runs: it becomes an update. */
  conditioning: "conditioning",
  /** An order to the driver; no converter ever sees it. */
  control: "control",
} as const;

/** One of `EVENT_ROLES`. */
export type EventRole = (typeof EVENT_ROLES)[keyof typeof EVENT_ROLES];

/** One type of event: what its payload holds and how pending events of the type replace each other. */
export interface EventDefinition {
  /** The type's name, such as `key_down`. */
  readonly eventType: string;
  /** The modality of the device, such as `keyboard`; it is what capabilities are compared by. */
  readonly modality: string;
  /** For people. */
  readonly description: string;
  /** Payload fields that each event of the type has. */
  readonly requiredFields: readonly string[];
  /** All payload fields that are known. */
  readonly knownFields: readonly string[];
  /** Who it is for; default `device`. */
  readonly role: EventRole;
  /** Types that events of this type are resolved into before anyone sees them; default none. */
  readonly resolvesInto: readonly string[];
  /** Validates a payload; the result is frozen. */
  readonly read: Reader<Mapping>;
  /** Events of equal key replace each other while they wait; default: all of the type do. */
  foldKey(payload: Mapping): string;
}

/** What the factory of `EventDefinition` takes. */
export interface EventDefinitionInput<Payload extends object> {
  /** The type's name: lower case words joined by `_`. */
  readonly eventType: string;
  /** The modality of the device. */
  readonly modality: string;
  /** For people. */
  readonly description: string;
  /** A reader for each payload field; those that refuse `undefined` are the required ones. */
  readonly fields: FieldReaders<Payload>;
  /** Refuses combinations of fields. */
  readonly check?: (payload: Payload, path: string) => void;
  /** Who it is for; default `device`. */
  readonly role?: EventRole;
  /** Types that events of this type are resolved into; default none. */
  readonly resolvesInto?: readonly string[];
  /** Events of equal key replace each other while they wait; default: all of the type do. */
  readonly foldKey?: (payload: Payload) => string;
}

const EVENT_TYPE_NAME = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

const readInput = recordFactory<EventDefinitionInput<Record<string, unknown>>>("EventDefinition", {
  eventType: (value, path) => {
    const name = text({ maxLength: 128 })(value, path);
    return EVENT_TYPE_NAME.test(name) ? name : refuse(path, "lower case words joined by _, such as key_down", name);
  },
  modality: text({ maxLength: 128 }),
  description: text({ maxLength: 1000 }),
  fields: (value, path) => {
    if (!isPlainObject(value)) refuse(path, "a mapping from field names to readers", value);
    for (const [name, reader] of Object.entries(value)) callable()(reader, `${path}.${name}`);
    return value as FieldReaders<Record<string, unknown>>;
  },
  check: optional(callable<(payload: Record<string, unknown>, path: string) => void>()),
  role: withDefault(oneOf(EVENT_ROLES), EVENT_ROLES.device),
  resolvesInto: withDefault(listOf(text({ maxLength: 128 })), Object.freeze([])),
  foldKey: optional(callable<(payload: Record<string, unknown>) => string>()),
});

/**
 * Makes an `EventDefinition`, for the catalogue's own types and for those that other packages add.
 * Refuses a name that is not lower case words joined by `_`, blank texts, wrong types and unknown keys.
 */
export function eventDefinition<Payload extends object>(input: EventDefinitionInput<Payload>): EventDefinition {
  const checked = readInput(input);
  const readFields = shape(checked.fields);
  const foldKey = checked.foldKey;
  return Object.freeze({
    eventType: checked.eventType,
    modality: checked.modality,
    description: checked.description,
    requiredFields: Object.freeze(Object.keys(checked.fields).filter((name) => isRequired(checked.fields, name))),
    knownFields: Object.freeze(Object.keys(checked.fields)),
    role: checked.role as EventRole,
    resolvesInto: checked.resolvesInto as readonly string[],
    read: (value: unknown, path: string): Mapping => {
      const payload = readFields(value, path);
      checked.check?.(payload, path);
      return payload;
    },
    foldKey: (payload: Mapping): string => (foldKey === undefined ? "" : foldKey(payload)),
  });
}

/** A field is required when its reader refuses an absent value. */
function isRequired(fields: FieldReaders<Record<string, unknown>>, name: string): boolean {
  try {
    fields[name]?.(undefined, name);
    return false;
  } catch {
    return true;
  }
}
