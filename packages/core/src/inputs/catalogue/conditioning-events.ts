import { isPlainObject, optional, refuse, text, type Reader } from "../../foundation/validate/reader.ts";
import { eventDefinition, EVENT_ROLES } from "./event-definition.ts";

/** Greatest length of a prompt in UTF-16 units. */
export const MAX_PROMPT_LENGTH = 4000;
/** Greatest length of an image's name or address in UTF-16 units. */
export const MAX_IMAGE_NAME_LENGTH = 1024;
/** Greatest size of an encoded image in bytes. */
export const MAX_IMAGE_BYTES = 16 * 1024 * 1024;

/** A new prompt. */
export interface PromptSetPayload {
  /** What the world should show; an empty one takes the prompt away. */
  readonly prompt: string;
  /** What it should not show, for worlds that know guidance. */
  readonly negativePrompt?: string;
}

/** A new image to continue from or to be guided by. */
export interface ImageSetPayload {
  /** The image: a name that the adapter understands, an encoded file, or pixels described by a mapping. */
  readonly image: string | Uint8Array | Readonly<Record<string, unknown>>;
}

/** An event of the world that is described by text begins, changes or ends. */
export interface TextEventPayload {
  /** Which event. */
  readonly id: string;
  /** Its state, such as `start` or `end`, as the adapter understands it. */
  readonly state: string;
}

const readImage: Reader<ImageSetPayload["image"]> = (value, path) => {
  if (typeof value === "string") return text({ maxLength: MAX_IMAGE_NAME_LENGTH })(value, path);
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]") {
    const bytes = value as Uint8Array;
    if (bytes.byteLength === 0 || bytes.byteLength > MAX_IMAGE_BYTES) {
      refuse(path, `from 1 to ${MAX_IMAGE_BYTES} bytes`, bytes.byteLength);
    }
    return bytes;
  }
  if (isPlainObject(value)) return value;
  return refuse(path, "a name, the bytes of an encoded image, or a mapping that holds pixels", value);
};

/** The events that change conditions while the world runs. */
export const conditioningEvents = [
  eventDefinition<PromptSetPayload>({
    eventType: "prompt_set",
    modality: "prompt",
    description: "A new prompt.",
    fields: {
      prompt: text({ maxLength: MAX_PROMPT_LENGTH, allowBlank: true }),
      negativePrompt: optional(text({ maxLength: MAX_PROMPT_LENGTH, allowBlank: true })),
    },
    role: EVENT_ROLES.conditioning,
  }),
  eventDefinition<ImageSetPayload>({
    eventType: "image_set",
    modality: "image",
    description: "A new image to continue from or to be guided by.",
    fields: { image: readImage },
    role: EVENT_ROLES.conditioning,
  }),
  eventDefinition<TextEventPayload>({
    eventType: "text_event",
    modality: "text_event",
    description: "An event of the world that is described by text begins, changes or ends.",
    fields: { id: text({ maxLength: 128 }), state: text({ maxLength: 128 }) },
    role: EVENT_ROLES.conditioning,
    foldKey: (payload) => payload.id,
  }),
] as const;
