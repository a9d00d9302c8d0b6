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
  /** Keys, mouse buttons and movements of the mouse. */
  readonly keyboard: readonly LegendEntry[];
  /** Gamepad. */
  readonly gamepad: readonly LegendEntry[];
  /** Steering wheel with its pedals. */
  readonly wheel: readonly LegendEntry[];
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

const MOUSE_CODE = /^Mouse(Left|Middle|Right|Back|Forward|\d+)$/;

/** Orders a world's control hints by the device that each is on. Pure. */
export function controlLayout(hints: readonly ControlHint[]): ControlLayout {
  const keyboard: LegendEntry[] = [];
  const gamepad: LegendEntry[] = [];
  const wheel: LegendEntry[] = [];
  for (const hint of hints) {
    switch (hint.device) {
      case "keyboard":
      case "mouse":
        addEntry(keyboard, hint);
        break;
      case "gamepad":
        addEntry(gamepad, hint);
        break;
      case "wheel":
        addEntry(wheel, hint);
        break;
      default:
        // A newer server may know devices that this client does not.
        break;
    }
  }
  const codes = hints.filter(({ device }) => device === "keyboard").flatMap(({ bindings }) => bindings);
  const { stick, buttons } = touchTargets(hints, gamepad);
  return {
    keyboard,
    gamepad,
    wheel,
    ...(Object.keys(stick).length === 0 ? {} : { stick }),
    buttons,
    looks: hints.some(({ device }) => device === "mouse"),
    keyCodes: new Set(codes.filter((code) => !MOUSE_CODE.test(code))),
    usesMouseButtons: codes.some((code) => MOUSE_CODE.test(code)),
  };
}

/** A touch screen stands in for the keyboard; where a gamepad has the same control, it gives any strength in between. */
function touchTargets(
  hints: readonly ControlHint[],
  gamepad: readonly LegendEntry[],
): { readonly stick: StickTargets; readonly buttons: readonly ControlTarget[] } {
  const stick: { up?: ControlTarget; down?: ControlTarget; left?: ControlTarget; right?: ControlTarget } = {};
  const buttons = new Map<string, ControlTarget>();
  for (const { label, device, bindings, touch, direction } of hints) {
    if (device !== "keyboard") continue;
    const [code] = bindings;
    const padCode = gamepad.find((entry) => entry.label === label)?.codes[0];
    if (code === undefined && padCode === undefined) continue;
    const target: ControlTarget = {
      label,
      ...(code === undefined ? {} : { code }),
      ...(padCode === undefined ? {} : { padCode }),
    };
    if (touch === "stick" && direction !== undefined) stick[direction] ??= target;
    else if (touch === "button" && !buttons.has(label)) buttons.set(label, target);
  }
  return { stick, buttons: [...buttons.values()] };
}

function addEntry(entries: LegendEntry[], { label, bindings }: ControlHint): void {
  if (bindings.length === 0) return;
  const index = entries.findIndex((entry) => entry.label === label);
  if (index < 0) entries.push({ label, codes: bindings });
  else entries[index] = { label, codes: [...new Set([...entries[index].codes, ...bindings])] };
}
