import type { ControlDevice, ControlHint } from "../device-converter.ts";
import type { Actions } from "../modalities.ts";
import { controlHints, type ActionHint, type Bindings } from "./bindings.ts";

/** Keys and mouse buttons of the named actions that many worlds know. */
export const DEFAULT_ACTION_BINDINGS: Bindings<string> = Object.freeze({
  forward: ["KeyW", "ArrowUp"],
  back: ["KeyS", "ArrowDown"],
  left: ["KeyA", "ArrowLeft"],
  right: ["KeyD", "ArrowRight"],
  jump: ["Space"],
  crouch: ["KeyC"],
  sprint: ["ShiftLeft"],
  use: ["KeyE"],
  reload: ["KeyR"],
  attack: ["MouseLeft"],
  aim: ["MouseRight"],
});

/** What a device says of each code. */
export interface CodeStates {
  /** Whether it is down at the end of the window. */
  isHeld(code: string): boolean;
  /** How often it was pressed within the window. */
  presses(code: string): number;
}

/** The actions of a device's codes; a press counts for an action whichever of its codes it was. */
export function actionsOf(bindings: Bindings<string>, codes: CodeStates): Actions {
  const held: string[] = [];
  const pressed: Record<string, number> = {};
  for (const [action, bound] of Object.entries(bindings)) {
    let count = 0;
    let isHeld = false;
    for (const code of bound) {
      count += codes.presses(code);
      isHeld ||= codes.isHeld(code);
    }
    if (count > 0) pressed[action] = count;
    if (count > 0 || isHeld) held.push(action);
  }
  return Object.freeze({ held: Object.freeze(held), pressed: Object.freeze(pressed) });
}

const DIRECTIONS: Readonly<Record<string, ActionHint["direction"]>> = Object.freeze({
  forward: "up",
  back: "down",
  left: "left",
  right: "right",
});

/** Explanation of named actions on a device: the four directions as a stick, the others as buttons. */
export function actionHints(bindings: Bindings<string>, device: ControlDevice): readonly ControlHint[] {
  const hints = Object.keys(bindings).map((action): [string, ActionHint] => {
    const words = action.replaceAll(/[_-]+/g, " ").replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2");
    const label = words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
    const direction = DIRECTIONS[action];
    return [action, direction === undefined ? { label, touch: "button" } : { label, touch: "stick", direction }];
  });
  return controlHints(Object.fromEntries(hints), bindings, device);
}
