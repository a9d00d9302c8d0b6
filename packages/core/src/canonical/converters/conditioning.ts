import { refuse } from "../../foundation/validate/reader.ts";
import { deviceConverter, type DeviceConverter } from "../device-converter.ts";
import { CONDITIONING, type Conditioning, type TextEvent } from "../modalities.ts";
import { payloadText, type PayloadEvent } from "./payload.ts";

/**
 * Makes the converter of `prompt_set`, `image_set` and `text_event` to `conditioning`. It needs a source that sends `prompt_set`
 * and takes the other two when they come. The newest prompt and image of a window count; text events are all kept in order.
 */
export function conditioningConverter(): DeviceConverter<null> {
  return deviceConverter<null>({
    name: "conditioning",
    consumes: ["prompt_set"],
    produces: CONDITIONING,
    createState: () => null,
    convert(inputs, _window, state) {
      let value: { -readonly [Field in keyof Conditioning]: Conditioning[Field] } | undefined;
      let textEvents: TextEvent[] | undefined;
      for (const event of inputs.events) {
        switch (event.eventType) {
          case "prompt_set":
            value ??= {};
            value.prompt = payloadText(event, "prompt", { allowBlank: true });
            if (event.payload.negativePrompt !== undefined) {
              value.negativePrompt = payloadText(event, "negativePrompt", { allowBlank: true });
            }
            break;
          case "image_set":
            value ??= {};
            value.image = event.payload.image ?? refuseAbsent(event, "image");
            break;
          case "text_event": {
            value ??= {};
            const textEvent = Object.freeze({ id: payloadText(event, "id"), state: payloadText(event, "state") });
            textEvents ??= [];
            textEvents.push(textEvent);
            value.textEvent = textEvent;
            break;
          }
          default:
        }
      }
      if (value !== undefined && textEvents !== undefined) value.textEvents = Object.freeze(textEvents);
      return { value: value, state };
    },
  });
}

function refuseAbsent(event: PayloadEvent, field: string): never {
  return refuse(`UserInputEvent(${event.eventType}).payload.${field}`, "a value", undefined);
}
