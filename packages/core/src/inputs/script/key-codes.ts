const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `Key${letter}`);
const DIGITS = [..."0123456789"];
const FUNCTION_KEYS = Array.from({ length: 24 }, (_, index) => `F${index + 1}`);
const SIDES = ["Alt", "Control", "Meta", "Shift"].flatMap((name) => [`${name}Left`, `${name}Right`]);
const NUMPAD = ["Add", "Subtract", "Multiply", "Divide", "Decimal", "Comma", "Enter", "Equal"].map(
  (name) => `Numpad${name}`,
);
const OTHERS =
  "ArrowDown ArrowLeft ArrowRight ArrowUp Backquote Backslash Backspace BracketLeft BracketRight CapsLock Comma ContextMenu " +
  "Delete End Enter Equal Escape Home Insert IntlBackslash IntlRo IntlYen Minus NumLock PageDown PageUp Pause Period " +
  "PrintScreen Quote ScrollLock Semicolon Slash Space Tab";

/** Codes of physical keys, as the UI Events KeyboardEvent code Values recommendation of W3C names them. */
export const KEY_CODES: readonly string[] = Object.freeze([
  ...LETTERS,
  ...DIGITS.map((digit) => `Digit${digit}`),
  ...DIGITS.map((digit) => `Numpad${digit}`),
  ...FUNCTION_KEYS,
  ...SIDES,
  ...NUMPAD,
  ...OTHERS.split(" "),
]);

/** Names of mouse buttons in scripts, with their numbers. */
export const MOUSE_BUTTONS: ReadonlyMap<string, number> = new Map([
  ["MouseLeft", 0],
  ["MouseMiddle", 1],
  ["MouseRight", 2],
  ["MouseBack", 3],
  ["MouseForward", 4],
]);
