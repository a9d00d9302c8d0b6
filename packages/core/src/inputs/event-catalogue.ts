import { isPlainObject, refuse, within, type Mapping } from "../foundation/validate/reader.ts";
import { nearest, refuseUnknownKeys } from "../foundation/validate/record.ts";
import {
  actionEvents,
  type ActionSetPayload,
  type AxisSetPayload,
  type FocusPayload,
} from "./catalogue/action-events.ts";
import {
  conditioningEvents,
  type ImageSetPayload,
  type PromptSetPayload,
  type TextEventPayload,
} from "./catalogue/conditioning-events.ts";
import { controlEvents, type ResetPayload, type RewindPayload } from "./catalogue/control-events.ts";
import { EVENT_ROLES, type EventDefinition } from "./catalogue/event-definition.ts";
import {
  keyboardEvents,
  type KeyDownPayload,
  type KeysStatePayload,
  type KeyUpPayload,
} from "./catalogue/keyboard-events.ts";
import {
  mouseEvents,
  type MouseButtonPayload,
  type MouseMovePayload,
  type MouseStatePayload,
  type MouseWheelPayload,
} from "./catalogue/mouse-events.ts";
import { padEvents, type GamepadStatePayload, type WheelStatePayload } from "./catalogue/pad-events.ts";
import { pointerEvents, type PointerPayload } from "./catalogue/pointer-events.ts";
import { userInputEvent, type UserInputEvent, type UserInputEventInput } from "./user-input-event.ts";
import { userInputSchema, type UserInputSchema } from "./user-input-schema.ts";

/** The payload of each type of event in the catalogue. */
export interface EventPayloads {
  /** A key went down. */
  readonly key_down: KeyDownPayload;
  /** A key went up. */
  readonly key_up: KeyUpPayload;
  /** All held keys with cumulative counts. */
  readonly keys_state: KeysStatePayload;
  /** The mouse moved. */
  readonly mouse_move: MouseMovePayload;
  /** A mouse button went down or up. */
  readonly mouse_button: MouseButtonPayload;
  /** The wheel turned. */
  readonly mouse_wheel: MouseWheelPayload;
  /** Held buttons and cumulative movement of a mouse. */
  readonly mouse_state: MouseStatePayload;
  /** A pen or a dragging mouse. */
  readonly pointer: PointerPayload;
  /** A finger. */
  readonly touch: PointerPayload;
  /** The state of a gamepad. */
  readonly gamepad_state: GamepadStatePayload;
  /** The state of a steering wheel. */
  readonly wheel_state: WheelStatePayload;
  /** Whether the input reaches the world. */
  readonly focus: FocusPayload;
  /** A named axis moved. */
  readonly axis_set: AxisSetPayload;
  /** All named actions that are held. */
  readonly action_set: ActionSetPayload;
  /** A new prompt. */
  readonly prompt_set: PromptSetPayload;
  /** A new image. */
  readonly image_set: ImageSetPayload;
  /** An event of the world described by text. */
  readonly text_event: TextEventPayload;
  /** The rollout starts again. */
  readonly reset: ResetPayload;
  /** The session goes back to an earlier moment. */
  readonly rewind: RewindPayload;
  /** Session time stands still. */
  readonly pause: Readonly<Record<string, never>>;
  /** Session time goes on. */
  readonly resume: Readonly<Record<string, never>>;
  /** The run ends. */
  readonly close: Readonly<Record<string, never>>;
}

/** The name of a type of event in the catalogue. */
export type CatalogueEventType = keyof EventPayloads;

/** Which types a schema is made for. */
export interface CatalogueSchemaOptions {
  /** These types only, with those that they are resolved into; default all. */
  readonly only?: readonly string[];
  /** Who sends the events; stands in the metadata of each capability. */
  readonly source?: string;
}

/** All types of events that a session understands. */
export interface EventCatalogue {
  /** The definitions by type. */
  readonly definitions: ReadonlyMap<string, EventDefinition>;
  /**
   * Validates an event and its payload and fills in the payload's defaults. Refuses an unknown type, naming the nearest known one, and a
   * payload with unknown keys, wrong types or values out of range. With `unknownFields: "drop"`, for what a newer peer sends,
   * unknown payload fields are left out instead. An event that this catalogue has read before is returned as it is.
   */
  read(event: UserInputEventInput, options?: { readonly unknownFields?: "refuse" | "drop" }): UserInputEvent;
  /** Validates a payload alone; `path` begins the message of a refusal. */
  readPayload(eventType: string, payload: unknown, path: string): Mapping;
  /** What a source that sends these events declares. */
  schema(options?: CatalogueSchemaOptions): UserInputSchema;
  /** Whether events of the type are orders to the driver. */
  isControl(eventType: string): boolean;
  /** Whether events of the type change conditions. */
  isConditioning(eventType: string): boolean;
}

/** The definitions of every type that the core knows. */
export const CATALOGUE_EVENTS: readonly EventDefinition[] = Object.freeze([
  ...keyboardEvents,
  ...mouseEvents,
  ...pointerEvents,
  ...padEvents,
  ...actionEvents,
  ...conditioningEvents,
  ...controlEvents,
]);

class Catalogue implements EventCatalogue {
  readonly definitions: ReadonlyMap<string, EventDefinition>;
  readonly #alreadyRead = new WeakSet<object>();

  constructor(definitions: ReadonlyMap<string, EventDefinition>) {
    this.definitions = definitions;
  }

  read(input: UserInputEventInput, options: { readonly unknownFields?: "refuse" | "drop" } = {}): UserInputEvent {
    if (typeof input === "object" && input !== null && this.#alreadyRead.has(input)) return input as UserInputEvent;
    // What is no event at all is refused by the factory; else the payload is read first, so that the event is made once.
    if (typeof input?.eventType !== "string" || input.eventType.trim() === "") return userInputEvent(input);
    const { eventType } = input;
    const definition = this.#definition(eventType, "UserInputEvent.eventType");
    const given =
      input.payload === undefined
        ? EMPTY
        : options.unknownFields === "drop"
          ? knownPart(input.payload, definition)
          : input.payload;
    const payload = within(eventType, () => definition.read(given, "UserInputEvent.payload"));
    const result = userInputEvent({ ...input, payload });
    this.#alreadyRead.add(result);
    return result;
  }

  readPayload(eventType: string, payload: unknown, path: string): Mapping {
    return this.#definition(eventType, path).read(payload, path);
  }

  schema(options: CatalogueSchemaOptions = {}): UserInputSchema {
    const types = new Set<string>();
    for (const eventType of options.only ?? this.definitions.keys()) {
      const definition = this.#definition(eventType, "CatalogueSchemaOptions.only");
      types.add(eventType);
      for (const resolved of definition.resolvesInto) types.add(resolved);
    }
    const capabilities = [...types].map((eventType) => {
      const { modality, requiredFields, description } = this.#definition(eventType, "EventDefinition.resolvesInto");
      const metadata = options.source === undefined ? {} : { source: options.source };
      return { eventType, modality, payloadFields: requiredFields, description, metadata };
    });
    return userInputSchema({ capabilities, snapshotFields: SNAPSHOT_FIELDS });
  }

  isControl(eventType: string): boolean {
    return this.definitions.get(eventType)?.role === EVENT_ROLES.control;
  }

  isConditioning(eventType: string): boolean {
    return this.definitions.get(eventType)?.role === EVENT_ROLES.conditioning;
  }

  #definition(eventType: string, path: string): EventDefinition {
    const definition = this.definitions.get(eventType);
    if (definition !== undefined) return definition;
    const known = [...this.definitions.keys()];
    const near = nearest(eventType, known);
    const hint = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
    return refuse(path, `one of ${known.join(", ")}${hint}`, eventType);
  }
}

const SNAPSHOT_FIELDS = [
  "heldCodes",
  "heldButtons",
  ...["pointers", "touches", "gamepads", "wheel", "axes", "actions", "focused"].map((name) => ({
    name,
    required: false,
  })),
];

/**
 * Makes the catalogue: the core's own types and those of other packages in `extra`. Refuses a type that stands twice and one that
 * resolves into an unknown one.
 */
export function eventCatalogue(options: { readonly extra?: readonly EventDefinition[] } = {}): EventCatalogue {
  refuseUnknownKeys(options, ["extra"], "EventCatalogueOptions");
  const definitions = new Map<string, EventDefinition>();
  for (const definition of [...CATALOGUE_EVENTS, ...(options.extra ?? [])]) {
    if (definitions.has(definition.eventType)) {
      refuse("EventCatalogueOptions.extra", "types that the catalogue does not have yet", definition.eventType);
    }
    definitions.set(definition.eventType, definition);
  }
  for (const { eventType, resolvesInto } of definitions.values()) {
    const unknown = resolvesInto.find((name) => !definitions.has(name));
    if (unknown !== undefined) refuse(`EventDefinition(${eventType}).resolvesInto`, "known types", unknown);
  }
  return new Catalogue(definitions);
}

/** The payload of an event of a known type, typed; refuses an event of another type. The event must have been read. */
export function payloadOf<Type extends CatalogueEventType>(
  event: UserInputEvent,
  eventType: Type,
): EventPayloads[Type] {
  if (event.eventType !== eventType) refuse("UserInputEvent.eventType", JSON.stringify(eventType), event.eventType);
  return event.payload as unknown as EventPayloads[Type];
}

const CONTROL_TYPES: ReadonlySet<string> = new Set(controlEvents.map((definition) => definition.eventType));
const CONDITIONING_TYPES: ReadonlySet<string> = new Set(conditioningEvents.map((definition) => definition.eventType));

/** Whether an event is an order to the driver: `reset`, `rewind`, `pause`, `resume` or `close`. */
export function isControlEvent(event: UserInputEvent): boolean {
  return CONTROL_TYPES.has(event.eventType);
}

/** Whether an event changes conditions: `prompt_set`, `image_set` or `text_event`. */
export function isConditioningEvent(event: UserInputEvent): boolean {
  return CONDITIONING_TYPES.has(event.eventType);
}

const EMPTY: Mapping = Object.freeze({});

function knownPart(payload: Mapping, definition: EventDefinition): Mapping {
  if (!isPlainObject(payload)) return payload;
  return Object.fromEntries(Object.entries(payload).filter(([name]) => definition.knownFields.includes(name)));
}
