import { listOf, text } from "../../foundation/validate/reader.ts";
import { deviceConverter, type DeviceConverter } from "../device-converter.ts";
import { ACTIONS } from "../modalities.ts";
import { checkOptions } from "./bindings.ts";
import { payloadFlag, type PayloadEvent } from "./payload.ts";

/** Priority of named actions that a script, a program or on-screen buttons hold: they beat every device. */
export const ACTION_SET_PRIORITY = 40;

/** How the converter of `action_set` may be changed. */
export interface ActionSetOptions {
  /** Its name within a canonicaliser; default `action_set_actions`. */
  readonly name?: string;
  /** Higher wins among converters of `actions`; default `ACTION_SET_PRIORITY`. */
  readonly priority?: number;
}

const readNames = listOf(text({ maxLength: 64 }), { max: 256 });
const NONE: readonly string[] = Object.freeze([]);

/**
 * Makes the converter of `action_set` to `actions`. Each event names everything that is held; an action that was not held before is
 * pressed once, unless the event says itself what was pressed. With nothing held and nothing pressed it is idle.
 */
export function actionSetToActions(options: ActionSetOptions = {}): DeviceConverter<readonly string[]> {
  checkOptions(options, "ActionSetOptions", ["name", "priority"]);
  return deviceConverter<readonly string[]>({
    name: options.name ?? "action_set_actions",
    priority: options.priority ?? ACTION_SET_PRIORITY,
    consumes: ["action_set"],
    produces: ACTIONS,
    createState: () => NONE,
    convert(inputs, _window, state) {
      let held = state;
      let pressed: Map<string, number> | undefined;
      for (const event of inputs.events) {
        if (event.eventType === "focus" && !payloadFlag(event, "focused")) held = NONE;
        if (event.eventType !== "action_set") continue;
        const next = Object.freeze([...new Set(names(event, "actions"))]);
        const before = held;
        const begun =
          event.payload.pressed === undefined ? next.filter((name) => !before.includes(name)) : names(event, "pressed");
        for (const name of begun) {
          pressed ??= new Map();
          pressed.set(name, (pressed.get(name) ?? 0) + 1);
        }
        held = next;
      }
      if (held.length === 0 && pressed === undefined) return { value: undefined, state: held };
      const active = [...new Set([...held, ...(pressed?.keys() ?? NONE)])];
      return {
        value: { held: Object.freeze(active), pressed: Object.freeze(Object.fromEntries(pressed ?? [])) },
        state: held,
      };
    },
  });
}

function names(event: PayloadEvent, field: string): readonly string[] {
  return readNames(event.payload[field], `UserInputEvent(${event.eventType}).payload.${field}`);
}
