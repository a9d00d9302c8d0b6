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

/**
 * Whether a key is meant for the world: not when text is being edited, not with a command modifier, and not Space or Enter on a
 * focused button, which presses that. Pure.
 */
export function isForWorld(key: KeyFacts, knownCodes: ReadonlySet<string>): boolean {
  if (key.isEditing || key.isCommand) return false;
  if (PRESSABLE.has(key.targetName) && PRESSING.has(key.code)) return false;
  if (key.code === "Escape" || key.code === "Tab") return false;
  return knownCodes.size === 0 || knownCodes.has(key.code);
}
