import type { ControlLayout } from "@dreamloop/client";
import type { Messages } from "../../text/messages.ts";
import type { KeyNamer } from "./key-names.tsx";
import type { Remap } from "./remap.ts";

/** What the page's own keys do, by code or by the character that they type; a world that uses one of them has it. */
export const PAGE_KEYS = {
  /** Puts the focus into the prompt. */
  prompt: ["Enter", "NumpadEnter", "/"],
  /** Shows or hides the numbers. */
  numbers: ["Backquote"],
  /** Pauses, or continues. */
  pause: ["KeyP"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** Something that a key of the player itself does. */
export type PageAction = keyof typeof PAGE_KEYS;

/** All keys of the player itself but Escape and Tab, which no world gets. */
export const RESERVED_KEYS: readonly string[] = Object.freeze(Object.values(PAGE_KEYS).flat());

/** Keys that do the same as another one and are not named beside it. */
const UNNAMED: ReadonlySet<string> = new Set(["NumpadEnter"]);

/** Codes of the characters among the page's keys, on the keyboards on which these have a key of their own. */
const CODES: Readonly<Record<string, string>> = { "/": "Slash" };

/** What the page says about its own keys, and what decides which of them it has. */
export interface PageKeyFacts {
  /** The world's controls, once they are known. */
  readonly layout: ControlLayout | undefined;
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Names keys. */
  readonly keyName: KeyNamer;
}

/** Names of the keys that do something on the page, without those that the world or the user's own choice has taken. */
export function pageKeyNames(action: PageAction, { layout, remap, keyName }: PageKeyFacts): readonly string[] {
  return PAGE_KEYS[action]
    .filter((key) => {
      const code = CODES[key] ?? key;
      return layout?.keyCodes.has(code) !== true && remap[code] === undefined && !UNNAMED.has(key);
    })
    .map((key) => (key in CODES ? key : keyName(key)));
}

/** What a key of the player does; `undefined` for any other key. */
export function pageActionOf({ code, key }: Pick<KeyboardEvent, "code" | "key">): PageAction | undefined {
  return (Object.keys(PAGE_KEYS) as PageAction[]).find((action) => {
    const keys: readonly string[] = PAGE_KEYS[action];
    return keys.includes(code) || keys.includes(key);
  });
}

/** A label with the first key in parentheses behind it, where there is a key. */
export function withKeyName(label: string, names: readonly string[], text: Messages): string {
  const [name] = names;
  return name === undefined ? label : text.bar.withKey(label, name);
}
