import type { ControlDevice } from "@dreamloop/core";
import type { KeyLabels } from "./key-labels.ts";

/** What a code is on. */
export interface CodeLabelOptions {
  /** The device; default the keyboard, with the mouse beside it. */
  readonly device?: ControlDevice;
  /** The browser's name of a gamepad, by which its buttons are called as they are printed on it. */
  readonly gamepadId?: string;
  /** Labels of the person's own keyboard, from `watchKeyLabels`; a key that is not among them is called as on a US keyboard. */
  readonly keyLabels?: KeyLabels;
}

const KEY_NAMES: Readonly<Record<string, string>> = Object.freeze({
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Space: "Space",
  ShiftLeft: "Shift",
  ShiftRight: "Right Shift",
  ControlLeft: "Ctrl",
  ControlRight: "Right Ctrl",
  AltLeft: "Alt",
  AltRight: "Right Alt",
  Enter: "Enter",
  Backquote: "`",
  Minus: "-",
  Equal: "=",
  BracketLeft: "[",
  BracketRight: "]",
  Backslash: "\\",
  Semicolon: ";",
  Quote: "'",
  Comma: ",",
  Period: ".",
  Slash: "/",
  MouseLeft: "Left click",
  MouseMiddle: "Middle click",
  MouseRight: "Right click",
  MouseMove: "Mouse",
});

/** Buttons of the standard mapping that are printed alike on all gamepads. */
const SHARED_BUTTONS: Readonly<Record<number, string>> = Object.freeze({
  10: "Left stick press",
  11: "Right stick press",
  12: "D-pad ↑",
  13: "D-pad ↓",
  14: "D-pad ←",
  15: "D-pad →",
});

/** Buttons 0 to 9 of the standard mapping as each family of gamepads prints them. */
const FAMILIES: readonly { readonly id: RegExp; readonly buttons: readonly string[] }[] = Object.freeze([
  {
    id: /054c|dualsense|dualshock|playstation/i,
    buttons: ["✕", "○", "□", "△", "L1", "R1", "L2", "R2", "Create", "Options"],
  },
  {
    id: /057e|nintendo|joy-con|switch pro/i,
    buttons: ["B", "A", "Y", "X", "L", "R", "ZL", "ZR", "−", "+"],
  },
  { id: /./, buttons: ["A", "B", "X", "Y", "LB", "RB", "LT", "RT", "Back", "Start"] },
]);

const AXIS_NAMES: Readonly<Record<string, string>> = Object.freeze({
  "Axis0-": "Left stick ←",
  "Axis0+": "Left stick →",
  "Axis1-": "Left stick ↑",
  "Axis1+": "Left stick ↓",
  "Axis2-": "Right stick ←",
  "Axis2+": "Right stick →",
  "Axis3-": "Right stick ↑",
  "Axis3+": "Right stick ↓",
});

/**
 * A code as a person knows it: `KeyW` is `W`, or `Z` on a French keyboard whose `keyLabels` are given; `Button7` of a gamepad is `RT`, `R2` or `ZR`. Buttons of a
 * wheel are numbered, since every maker prints other words on them.
 */
export function codeLabel(code: string, options: CodeLabelOptions = {}): string {
  const { device = "keyboard", gamepadId = "standard", keyLabels } = options;
  switch (device) {
    case "keyboard":
    case "mouse":
      return (
        keyLabels?.get(code) ?? KEY_NAMES[code] ?? code.replace(/^(Key|Digit)(?=.)/, "").replace(/^Numpad(?=.)/, "Num ")
      );
    case "gamepad":
      return gamepadLabel(code, gamepadId);
    case "wheel":
      return code.replace(/^Button(\d+)$/, (_, number: string) => `Button ${Number(number) + 1}`);
  }
}

function gamepadLabel(code: string, gamepadId: string): string {
  const number = Number(/^Button(\d+)$/.exec(code)?.[1]);
  const family = FAMILIES.find(({ id }) => id.test(gamepadId));
  return family?.buttons[number] ?? SHARED_BUTTONS[number] ?? AXIS_NAMES[code] ?? code;
}
