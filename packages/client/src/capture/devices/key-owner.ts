/** What has the focus when a key goes down, as far as it matters for keys. */
export interface FocusFacts {
  /** Whether it takes text or a choice by letters, so that every key belongs to it. */
  readonly takesAllKeys: boolean;
  /** Codes of the keys that operate it, such as `Space` for a button. */
  readonly ownKeys: ReadonlySet<string>;
  /** Whether it got the focus by a click or a touch; the keys that operate it are not meant for it then. */
  readonly isByPointer: boolean;
}

/** Modifiers that make a key a command to browser or system. */
export const COMMAND_MODIFIERS = ["Control", "Alt", "AltGraph", "Meta"] as const;

/** One of `COMMAND_MODIFIERS`. */
export type CommandModifier = (typeof COMMAND_MODIFIERS)[number];

/** What of a key event the decision needs. */
export interface KeyFacts {
  /** Physical code. */
  readonly code: string;
  /** What the key types on the person's layout. */
  readonly key: string;
  /** Whether an input method is at work on it. */
  readonly isComposing: boolean;
  /** The command modifiers that are down. */
  readonly modifiers: readonly CommandModifier[];
  /** What has the focus. */
  readonly focus: FocusFacts;
}

/**
 * Whether keys go to a stage: `addressed`, it is the one that the person plays; `open`, nobody has chosen yet, so that the keys which scroll
 * the page still do; `none`, another stage or the page itself has them.
 */
export type StageStanding = "addressed" | "open" | "none";

/** What is known of the world's keys. */
export interface WorldKeys {
  /** Codes that the world names among its controls; empty: not known, so that every key may be one. */
  readonly known: ReadonlySet<string>;
  /** Codes or characters that the page keeps unless the world names them. */
  readonly reserved: ReadonlySet<string>;
  /** Whether the user has chosen this key for the world. */
  readonly isTaken: boolean;
  /** The command modifiers that the world itself holds down. */
  readonly heldModifiers: ReadonlySet<CommandModifier>;
  /** Whether the world's stage is the one that keys go to. */
  readonly standing: StageStanding;
}

/** Keys with which a person scrolls a page. */
const SCROLL_KEYS: ReadonlySet<string> = new Set([
  "ArrowUp",
  "ArrowDown",
  "ArrowLeft",
  "ArrowRight",
  "Space",
  "PageUp",
  "PageDown",
  "Home",
  "End",
]);

/** The command modifier that a key is itself, by its code: `ControlLeft` is `Control`. */
export function modifierOf(code: string): CommandModifier | undefined {
  return COMMAND_MODIFIERS.find((name) => code === `${name}Left` || code === `${name}Right`);
}

/**
 * Whether a key is meant for the world. The owner is sought in this order: an input method, a text field, the page while the stage is not
 * addressed, a control that the person reached by keyboard, browser and system where a modifier is down that is no key of the world's, and then the world. Pure.
 */
export function isForWorld(key: KeyFacts, world: WorldKeys): boolean {
  const { code, focus } = key;
  if (code === "" || key.isComposing || focus.takesAllKeys) return false;
  if (code === "Escape" || code === "Tab" || world.standing === "none") return false;
  if (world.standing === "open" && SCROLL_KEYS.has(code)) return false;
  const isKnown = world.isTaken || world.known.has(code);
  if (focus.ownKeys.has(code) && !(focus.isByPointer && isKnown)) return false;
  const own = modifierOf(code);
  if (own !== undefined && !isKnown) return false;
  const isCommand = key.modifiers.some((name) => name !== own && !isHeldByWorld(name, own, world));
  if (isCommand) return false;
  if (isKnown) return true;
  return world.known.size === 0 && !world.reserved.has(code) && !world.reserved.has(key.key);
}

/** AltGr is a key of its own on the keyboard, and its event speaks of Alt or of Ctrl and Alt as well. */
function isHeldByWorld(name: CommandModifier, own: CommandModifier | undefined, world: WorldKeys): boolean {
  if (world.heldModifiers.has(name)) return true;
  return name === "AltGraph" && (own === "Alt" || world.heldModifiers.has("Alt"));
}

const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
const PRESS = ["Enter", "NumpadEnter", "Space"];
const STEPS = [...ARROWS, "PageUp", "PageDown", "Home", "End"];

/** Keys that operate an input of a type; a type that is not listed takes text. */
const INPUT_KEYS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  button: PRESS,
  submit: PRESS,
  reset: PRESS,
  image: PRESS,
  color: PRESS,
  file: PRESS,
  checkbox: ["Space"],
  radio: ["Space", ...ARROWS],
  range: STEPS,
});

/** Keys that operate an element of a role. */
const ROLE_KEYS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  button: PRESS,
  link: ["Enter", "NumpadEnter"],
  checkbox: ["Space"],
  switch: PRESS,
  radio: ["Space", ...ARROWS],
  slider: STEPS,
  scrollbar: STEPS,
  tab: [...PRESS, ...STEPS],
  menuitem: [...PRESS, ...STEPS],
});

/** Roles of elements in which letters mean something. */
const TYPING_ROLES: ReadonlySet<string> = new Set([
  "textbox",
  "searchbox",
  "combobox",
  "spinbutton",
  "listbox",
  "option",
  "tree",
  "treeitem",
  "grid",
  "gridcell",
  "menu",
  "menubar",
]);

const NO_KEYS: ReadonlySet<string> = new Set();

/** Which keys an element takes: all of them, those that operate it, or none. `stage` is the element over the picture. */
export function keysOf(element: Element | undefined, stage: Element): Omit<FocusFacts, "isByPointer"> {
  const all = { takesAllKeys: true, ownKeys: NO_KEYS };
  if (element === undefined) return { takesAllKeys: false, ownKeys: NO_KEYS };
  const name = element.tagName.toUpperCase();
  const role = element.getAttribute("role") ?? "";
  if ((element as HTMLElement).isContentEditable || TYPING_ROLES.has(role)) return all;
  if (element.ownerDocument.designMode === "on") return all;
  if (name === "TEXTAREA" || name === "SELECT") return all;
  // What has the focus inside of a closed shadow root is nobody's to see; it may be a field.
  if (name.includes("-") && element.shadowRoot === null && !isAround(element, stage)) return all;
  if (name === "INPUT") {
    const keys = INPUT_KEYS[(element as HTMLInputElement).type];
    return keys === undefined ? all : { takesAllKeys: false, ownKeys: new Set(keys) };
  }
  const keys =
    name === "BUTTON" || name === "SUMMARY"
      ? PRESS
      : name === "A" && element.hasAttribute("href")
        ? ROLE_KEYS.link
        : (name === "VIDEO" || name === "AUDIO") && element.hasAttribute("controls")
          ? [...PRESS, ...ARROWS]
          : ROLE_KEYS[role];
  return { takesAllKeys: false, ownKeys: keys === undefined ? NO_KEYS : new Set(keys) };
}

/** Whether `element` is around `stage`, also across shadow roots. */
function isAround(element: Element, stage: Element): boolean {
  for (let node: Node | null = stage; node !== null; node = node.parentNode ?? (node as ShadowRoot).host ?? null) {
    if (node === element) return true;
  }
  return false;
}
