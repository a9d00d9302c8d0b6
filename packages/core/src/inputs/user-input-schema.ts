import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import {
  hasValue,
  listOf,
  mapping,
  optional,
  refuse,
  text,
  withDefault,
  type Mapping,
} from "../foundation/validate/reader.ts";
import { isMade, made, markMade, recordFactory, refuseUnknownKeys } from "../foundation/validate/record.ts";
import { userInputEvent, type UserInputEvent, type UserInputEventInput } from "./user-input-event.ts";

/** What a source promises about one type of event, or what a consumer asks for. */
export interface UserInputCapability {
  /** The type of event; not blank. */
  readonly eventType: string;
  /** The modality of the device; absent: any. */
  readonly modality?: string;
  /** Payload fields that are always there. */
  readonly payloadFields: readonly string[];
  /** Further facts; default empty. */
  readonly metadata: Mapping;
  /** For people; default empty. */
  readonly description: string;
}

/** What the factory of `UserInputCapability` takes; a bare string is an event type without payload promise. */
export type UserInputCapabilityInput = string | (Partial<UserInputCapability> & Pick<UserInputCapability, "eventType">);

const names = withDefault(listOf(text({ maxLength: 128 })), Object.freeze([]));
const makeCapability = recordFactory<UserInputCapability>("UserInputCapability", {
  eventType: text({ maxLength: 128 }),
  modality: optional(text({ maxLength: 128 })),
  payloadFields: names,
  metadata: withDefault(mapping, Object.freeze({})),
  description: withDefault(text({ allowBlank: true }), ""),
});

/** Makes a `UserInputCapability`. */
export function userInputCapability(input: UserInputCapabilityInput): UserInputCapability {
  return makeCapability(typeof input === "string" ? { eventType: input } : input);
}

/** Whether `offered` gives what `capability` asks for: same event type, modalities equal or one absent, needed payload fields a subset. */
export function isSatisfiedBy(capability: UserInputCapabilityInput, offered: UserInputCapabilityInput): boolean {
  const needed = userInputCapability(capability);
  const provider = userInputCapability(offered);
  if (needed.eventType !== provider.eventType) return false;
  if (needed.modality !== undefined && provider.modality !== undefined && needed.modality !== provider.modality)
    return false;
  return needed.payloadFields.every((field) => provider.payloadFields.includes(field));
}

/** What an input source can send. */
export interface UserInputSchema {
  /** Declared event types: the listed ones and those of the capabilities, without repetition. */
  readonly eventTypes: readonly string[];
  /** Declared capabilities; a bare event type is one without payload promise. */
  readonly capabilities: readonly UserInputCapability[];
  /** Names of snapshot fields and whether each is always there. */
  readonly snapshotFields: readonly SnapshotField[];
  /** For people; default empty. */
  readonly description: string;
  /** Whether all of `eventTypes` are declared; an empty request is true. */
  supportsEventTypes(eventTypes: readonly string[]): boolean;
  /** Whether some declared capability offers what `capability` asks for. */
  supports(capability: UserInputCapabilityInput): boolean;
  /** Refuses an event of an undeclared type, or one that lacks a declared payload field. */
  validateEvent(event: UserInputEvent | UserInputEventInput): void;
  /** Required snapshot fields that are absent from `snapshot`. */
  missingSnapshot(snapshot: Mapping): readonly string[];
  /** Throws `missing_input` when a required snapshot field is absent. */
  requireSnapshot(snapshot: Mapping): void;
}

/** A field of a source's snapshot. */
export interface SnapshotField {
  /** Its name; not blank. */
  readonly name: string;
  /** Whether it must be there; default true. */
  readonly required: boolean;
}

/** What the factory of `UserInputSchema` takes. */
export interface UserInputSchemaInput {
  /** Bare event types. */
  readonly eventTypes?: readonly string[];
  /** Capabilities, or bare event types. */
  readonly capabilities?: readonly UserInputCapabilityInput[];
  /** Snapshot fields; a bare name is a required field. */
  readonly snapshotFields?: readonly (string | { readonly name: string; readonly required?: boolean })[];
  /** For people. */
  readonly description?: string;
}

const makeSnapshotField = recordFactory<SnapshotField>("SnapshotField", {
  name: text({ maxLength: 128 }),
  required: (value, path) =>
    value === undefined ? true : typeof value === "boolean" ? value : refuse(path, "true or false", value),
});

class UserInputSchemaValue implements UserInputSchema {
  readonly eventTypes: readonly string[];
  readonly capabilities: readonly UserInputCapability[];
  readonly snapshotFields: readonly SnapshotField[];
  readonly description: string;

  constructor(
    capabilities: readonly UserInputCapability[],
    snapshotFields: readonly SnapshotField[],
    description: string,
  ) {
    this.capabilities = capabilities;
    this.eventTypes = Object.freeze([...new Set(capabilities.map((capability) => capability.eventType))]);
    this.snapshotFields = snapshotFields;
    this.description = description;
    markMade(this, "UserInputSchema");
  }

  supportsEventTypes(eventTypes: readonly string[]): boolean {
    const asked = names(eventTypes, "UserInputSchema.supportsEventTypes(eventTypes)");
    return asked.every((eventType) => this.eventTypes.includes(eventType));
  }

  supports(capability: UserInputCapabilityInput): boolean {
    const needed = userInputCapability(capability);
    return this.capabilities.some((provider) => isSatisfiedBy(needed, provider));
  }

  validateEvent(event: UserInputEvent | UserInputEventInput): void {
    const { eventType, payload } = userInputEvent(event);
    const declared = this.capabilities.filter((capability) => capability.eventType === eventType);
    if (declared.length === 0) {
      refuse("UserInputEvent.eventType", `one of ${this.eventTypes.join(", ") || "(none are declared)"}`, eventType);
    }
    const complete = declared.some((capability) => capability.payloadFields.every((field) => hasValue(payload, field)));
    if (complete) return;
    const missing = declared[0].payloadFields.filter((field) => !hasValue(payload, field));
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `UserInputEvent.payload: ${JSON.stringify(eventType)} lacks ${missing.map((field) => JSON.stringify(field)).join(", ")}`,
    );
  }

  missingSnapshot(snapshot: Mapping): readonly string[] {
    const given = mapping(snapshot, "UserInputs.snapshot");
    return this.snapshotFields
      .filter((field) => field.required && !hasValue(given, field.name))
      .map((field) => field.name);
  }

  requireSnapshot(snapshot: Mapping): void {
    const missing = this.missingSnapshot(snapshot);
    if (missing.length === 0) return;
    throw new DreamloopError(
      ERROR_CODES.missingInput,
      `UserInputs.snapshot: lacks ${missing.map((name) => JSON.stringify(name)).join(", ")}`,
    );
  }
}

const readCapabilities = withDefault(
  listOf(made((value) => userInputCapability(value as UserInputCapabilityInput))),
  Object.freeze([]),
);
const readSnapshotFields = withDefault(
  listOf(made((value) => makeSnapshotField(typeof value === "string" ? { name: value } : value))),
  Object.freeze([]),
);

/** Makes a `UserInputSchema`; refuses blank names, wrong types and unknown keys. */
export function userInputSchema(input: UserInputSchemaInput = {}): UserInputSchema {
  if (isMade(input, "UserInputSchema")) return input as UserInputSchema;
  refuseUnknownKeys(input, ["eventTypes", "capabilities", "snapshotFields", "description"], "UserInputSchema");
  const eventTypes = names(input.eventTypes, "UserInputSchema.eventTypes");
  const capabilities = readCapabilities(input.capabilities, "UserInputSchema.capabilities");
  const declared = new Set(capabilities.map((capability) => capability.eventType));
  const bare = eventTypes
    .filter((eventType) => !declared.has(eventType))
    .map((eventType) => userInputCapability(eventType));
  return new UserInputSchemaValue(
    Object.freeze([...bare, ...capabilities]),
    readSnapshotFields(input.snapshotFields, "UserInputSchema.snapshotFields"),
    withDefault(text({ allowBlank: true }), "")(input.description, "UserInputSchema.description"),
  );
}
