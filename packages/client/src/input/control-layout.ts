import type { ControlHint } from "@dreamloop/core";

/** What does something: codes of keys and mouse, and codes of a gamepad where the world knows one for the same thing. */
export interface ControlTarget {
  /** What it does, for people. */
  readonly label: string;
  /** The first key or mouse button that does it, such as `KeyW`; absent where only a gamepad does. */
  readonly code?: string;
  /** The gamepad code that does it with any strength, such as `Button7` or `Axis0-`. */
  readonly padCode?: string;
}

/** The stick of a touch screen; a direction that the world does not have is absent. */
export type StickTargets = Readonly<Partial<Record<"up" | "down" | "left" | "right", ControlTarget>>>;

/** One line of the legend for a device. */
export interface LegendEntry {
  /** What it does. */
  readonly label: string;
  /** All codes that do it. */
  readonly codes: readonly string[];
}

/** Everything that a page needs to explain a world's controls and to offer them on a touch screen. */
export interface ControlLayout {
  /** Keys and mouse buttons. */
  readonly keyboard: readonly LegendEntry[];
  /** Gamepad. */
  readonly gamepad: readonly LegendEntry[];
  /** Stick of a touch screen; absent when the world has no directions. */
  readonly stick?: StickTargets;
  /** Buttons of a touch screen. */
  readonly buttons: readonly ControlTarget[];
  /** Whether dragging looks around, and the pointer should be locked on a desktop. */
  readonly looks: boolean;
  /** Keyboard codes that do anything. */
  readonly keyCodes: ReadonlySet<string>;
  /** Whether a mouse button does anything. */
  readonly usesMouseButtons: boolean;
}

const PAD_CODE = /^(Button\d+|Axis\d+[+-])$/;
const MOUSE_CODE = /^Mouse(Left|Middle|Right|Back|Forward|\d+)$/;
const NOT_A_KEY = /^(Mouse|Button\d|Axis\d|Wheel$|.* pedal$)/;

/** Orders a world's control hints by device. Pure. */
export function controlLayout(hints: readonly ControlHint[]): ControlLayout {
  const padCodes = new Map<string, string>();
  const gamepad: LegendEntry[] = [];
  const keyboard: LegendEntry[] = [];
  const stick: { up?: ControlTarget; down?: ControlTarget; left?: ControlTarget; right?: ControlTarget } = {};
  const buttons = new Map<string, ControlTarget>();
  const keyCodes = new Set<string>();
  let looks = false;
  let usesMouseButtons = false;
  for (const { label, bindings } of hints) {
    const codes = bindings.filter((code) => PAD_CODE.test(code));
    if (codes.length === 0) continue;
    // Steering wheels have buttons of the same codes for the same things; converters of gamepads come after theirs.
    const index = gamepad.findIndex((entry) => entry.label === label);
    if (index < 0) gamepad.push({ label, codes });
    else gamepad[index] = { label, codes };
    padCodes.set(label, codes[0]);
  }
  for (const { label, bindings, touch, direction } of hints) {
    const codes = bindings.filter((code) => !PAD_CODE.test(code) && !/^Wheel$| pedal$/.test(code));
    for (const code of codes) {
      if (MOUSE_CODE.test(code)) usesMouseButtons = true;
      else if (!NOT_A_KEY.test(code)) keyCodes.add(code);
    }
    if (codes.length > 0) addEntry(keyboard, label, codes);
    if (codes.includes("MouseMove")) looks = true;
    const code = codes.find((each) => each !== "MouseMove");
    const padCode = padCodes.get(label);
    if (code === undefined && padCode === undefined) continue;
    const target: ControlTarget = {
      label,
      ...(code === undefined ? {} : { code }),
      ...(padCode === undefined ? {} : { padCode }),
    };
    if (touch === "stick" && direction !== undefined) stick[direction] ??= target;
    else if (touch === "button" && !buttons.has(label)) buttons.set(label, target);
  }
  return {
    keyboard,
    gamepad,
    ...(Object.keys(stick).length === 0 ? {} : { stick }),
    buttons: [...buttons.values()],
    looks,
    keyCodes,
    usesMouseButtons,
  };
}

function addEntry(entries: LegendEntry[], label: string, codes: readonly string[]): void {
  const index = entries.findIndex((entry) => entry.label === label);
  if (index < 0) entries.push({ label, codes });
  else entries[index] = { label, codes: [...new Set([...entries[index].codes, ...codes])] };
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
  AltLeft: "Alt",
  Enter: "Enter",
  MouseLeft: "Left click",
  MouseMiddle: "Middle click",
  MouseRight: "Right click",
  MouseMove: "Mouse",
});

const PAD_NAMES: readonly string[] = Object.freeze([
  "A",
  "B",
  "X",
  "Y",
  "LB",
  "RB",
  "LT",
  "RT",
  "Back",
  "Start",
  "Left stick press",
  "Right stick press",
  "D-pad ↑",
  "D-pad ↓",
  "D-pad ←",
  "D-pad →",
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

/** A code as people know it: `KeyW` is `W`, `Button7` is `RT`. Names of keys are those of the US layout, since codes are physical. */
export function codeLabel(code: string): string {
  const button = /^Button(\d+)$/.exec(code);
  if (button !== null) return PAD_NAMES[Number(button[1])] ?? code;
  return KEY_NAMES[code] ?? AXIS_NAMES[code] ?? code.replace(/^(Key|Digit|Numpad)(?=.)/, "");
}
