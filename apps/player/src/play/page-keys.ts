import type { ControlLayout } from "@dreamloop/client";
import type { Remap } from "../preferences/remap.ts";

/** What the page's own keys do; a world that uses one of them has it. */
export const PAGE_KEYS = {
  /** Puts the focus into the prompt. */
  prompt: ["Enter", "NumpadEnter", "Slash"],
  /** Shows or hides the numbers. */
  numbers: ["Backquote"],
  /** Pauses, or goes on. */
  pause: ["KeyP"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Something that one of the page's own keys does. */
export type PageAction = keyof typeof PAGE_KEYS;

/** Codes of all of the page's own keys but Escape and Tab, which no world gets. */
export const RESERVED_KEYS: readonly string[] = Object.freeze(Object.values(PAGE_KEYS).flat());

const NAMES: Readonly<Record<string, string>> = {
  Enter: "Enter",
  Slash: "/",
  Backquote: "`",
  KeyP: "P",
};

/** Names of the keys that do something of the page's, without those that the world or the user's own choice has taken. */
export function pageKeyNames(action: PageAction, layout: ControlLayout | undefined, remap: Remap): readonly string[] {
  return PAGE_KEYS[action]
    .filter((code) => layout?.keyCodes.has(code) !== true && remap[code] === undefined)
    .flatMap((code) => NAMES[code] ?? []);
}

/** A label with the first key in parentheses behind it, where there is a key. */
export function withKeyName(label: string, names: readonly string[]): string {
  const [name] = names;
  return name === undefined ? label : `${label} (${name})`;
}
