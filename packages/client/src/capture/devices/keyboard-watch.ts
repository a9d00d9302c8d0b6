import type { DeviceContext } from "./device-context.ts";

/** What of a key event the decision needs. */
export interface KeyFacts {
  /** Physical code. */
  readonly code: string;
  /** Whether the key repeats since it is held. */
  readonly repeat: boolean;
  /** Whether Ctrl, Alt or Meta is held, so that it is a command to browser or system. */
  readonly isCommand: boolean;
  /** Name of the focused element, in upper case. */
  readonly targetName: string;
  /** Whether text is being edited there. */
  readonly isEditing: boolean;
}

const PRESSABLE = new Set(["BUTTON", "A", "SUMMARY", "LABEL"]);
const PRESSING = new Set(["Enter", "NumpadEnter", "Space"]);

/** What is known of the world's keys. */
export interface WorldKeys {
  /** Codes that the world names among its controls; empty: not known, so that every key may be one. */
  readonly known: ReadonlySet<string>;
  /** Codes that the page keeps unless the world names them. */
  readonly reserved: ReadonlySet<string>;
  /** Whether the user has chosen this key for the world. */
  readonly isTaken: boolean;
}

/**
 * Whether a key is meant for the world: not when text is being edited, not with a command modifier, not one that the page keeps, and
 * not Space or Enter on a focused button, which presses that. Pure.
 */
export function isForWorld(key: KeyFacts, world: WorldKeys): boolean {
  if (key.isEditing || key.isCommand) return false;
  if (PRESSABLE.has(key.targetName) && PRESSING.has(key.code)) return false;
  if (key.code === "Escape" || key.code === "Tab") return false;
  if (world.isTaken || world.known.has(key.code)) return true;
  return world.known.size === 0 && !world.reserved.has(key.code);
}

/** Which keys mean what. */
export interface KeyboardOptions {
  /** The code of the world that a physical one stands for. */
  readonly codeOf: (code: string) => string;
  /** Whether a physical key stands for another one. */
  isTaken(code: string): boolean;
  /** Keys that the page keeps unless the world names them. */
  readonly reserved: ReadonlySet<string>;
}

/** Watches the keyboard of a page. */
export function watchKeyboard(context: DeviceContext, page: Document, options: KeyboardOptions): () => void {
  const { session } = context;
  const { codeOf, reserved } = options;
  const onDown = (event: KeyboardEvent): void => {
    if (!isForWorld(factsOf(event), { known: context.layout.keyCodes, reserved, isTaken: options.isTaken(event.code) }))
      return;
    if (session.state === "closed" || event.defaultPrevented) return;
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (!context.claim()) return;
    event.preventDefault();
    context.changed(session.input.keyDown(codeOf(event.code)));
  };
  const onUp = (event: KeyboardEvent): void => {
    context.changed(session.input.keyUp(codeOf(event.code)));
    // While Meta is down, macOS tells of no other key that goes up.
    if (event.code.startsWith("Meta")) {
      for (const code of session.input.heldKeys) context.changed(session.input.keyUp(code));
    }
  };
  page.addEventListener("keydown", onDown);
  page.addEventListener("keyup", onUp);
  return () => {
    page.removeEventListener("keydown", onDown);
    page.removeEventListener("keyup", onUp);
  };
}

function factsOf(event: KeyboardEvent): Parameters<typeof isForWorld>[0] {
  const target = event.target as HTMLElement | null;
  const targetName = target?.tagName ?? "";
  return {
    code: event.code,
    repeat: event.repeat,
    isCommand: event.ctrlKey || event.metaKey || event.altKey,
    targetName,
    isEditing:
      targetName === "INPUT" ||
      targetName === "TEXTAREA" ||
      targetName === "SELECT" ||
      target?.isContentEditable === true,
  };
}
