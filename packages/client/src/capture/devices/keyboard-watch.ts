import type { DeviceContext } from "./device-context.ts";
import {
  COMMAND_MODIFIERS,
  isForWorld,
  keysOf,
  modifierOf,
  type CommandModifier,
  type FocusFacts,
} from "./key-owner.ts";

/** Which keys mean what. */
export interface KeyboardOptions {
  /** The code of the world that a physical one stands for. */
  readonly codeOf: (code: string) => string;
  /** Whether a physical key stands for another one. */
  isTaken(code: string): boolean;
  /** Codes or characters that the page keeps unless the world names them. */
  readonly reserved: ReadonlySet<string>;
}

/** Modifiers with the field of an event that says whether any key of them is down. */
const MODIFIER_FLAGS = [
  ["Shift", "shiftKey"],
  ["Control", "ctrlKey"],
  ["Alt", "altKey"],
  ["Meta", "metaKey"],
] as const;

/** `keyCode` of an event that belongs to an input method. */
const COMPOSING_KEY_CODE = 229;

/** Watches the keyboard of a page. */
export function watchKeyboard(context: DeviceContext, page: Document, options: KeyboardOptions): () => void {
  const { session } = context;
  const focus = watchFocusOrigin(page);
  /** The world's code of each physical key that is down for the world. */
  const down = new Map<string, string>();

  const forget = (): void => {
    const held = session.input.heldKeys;
    for (const [code, worldCode] of down) if (!held.includes(worldCode)) down.delete(code);
  };
  const release = (code: string): boolean => {
    const worldCode = down.get(code);
    if (worldCode === undefined) return false;
    down.delete(code);
    context.changed(session.input.keyUp(worldCode, holderOf(code)));
    return true;
  };
  /** Some systems tell of one key only when both Shift keys go up, and of no other while Meta is down. */
  const reconcile = (event: KeyboardEvent): void => {
    for (const [name, flag] of MODIFIER_FLAGS) {
      // On layouts with AltGr, that key sets a flag of its own.
      if (event[flag] || (name === "Alt" && event.getModifierState("AltGraph"))) continue;
      for (const code of [...down.keys()]) {
        if (code.startsWith(name) && code !== event.code) release(code);
      }
    }
  };
  const heldModifiers = (): ReadonlySet<CommandModifier> =>
    new Set([...down.keys()].flatMap((code) => modifierOf(code) ?? []));

  const onDown = (event: KeyboardEvent): void => {
    forget();
    reconcile(event);
    const { code, key } = event;
    const facts = {
      code,
      key,
      isComposing: event.isComposing || event.keyCode === COMPOSING_KEY_CODE,
      modifiers: COMMAND_MODIFIERS.filter((name) => event.getModifierState(name)),
      focus: focus.factsOf(event, context.target),
    };
    const { keyCodes } = context.layout;
    const world = {
      known: keyCodes,
      reserved: options.reserved,
      isTaken: options.isTaken(code),
      heldModifiers: heldModifiers(),
      standing: context.standing,
    };
    if (!isForWorld(facts, world) || session.state === "closed" || event.defaultPrevented) return;
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (!context.claim()) return;
    event.preventDefault();
    const worldCode = options.codeOf(code);
    context.changed(session.input.keyDown(worldCode, holderOf(code)));
    if (session.input.heldKeys.includes(worldCode)) down.set(code, worldCode);
  };
  const onUp = (event: KeyboardEvent): void => {
    // Letting go of Alt would open the browser's menu.
    if (release(event.code) && modifierOf(event.code) !== undefined) event.preventDefault();
    reconcile(event);
    // While Meta is down, macOS tells of no other key that goes up.
    if (event.code.startsWith("Meta")) {
      for (const code of [...down.keys()]) release(code);
    }
  };
  page.addEventListener("keydown", onDown);
  page.addEventListener("keyup", onUp);
  return () => {
    page.removeEventListener("keydown", onDown);
    page.removeEventListener("keyup", onUp);
    focus.close();
  };
}

/** Two keys may stand for the same one of the world, which is up when both are. */
function holderOf(code: string): string {
  return `keyboard:${code}`;
}

interface FocusOrigin {
  factsOf(event: KeyboardEvent, stage: Element): FocusFacts;
  close(): void;
}

/** Remembers whether the element with the focus got it by pointer: a key that operates it is then not meant for it. */
function watchFocusOrigin(page: Document): FocusOrigin {
  let isPointer = false;
  let byPointer: EventTarget | undefined;
  let chosen: EventTarget | undefined;
  const onPointer = (event: Event): void => {
    isPointer = true;
    chosen = undefined;
    // A click on what has the focus already counts like one that gives it.
    const [target] = event.composedPath();
    if (target !== undefined && target === deepFocus(page)) byPointer = target;
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Tab") isPointer = false;
  };
  const onFocus = (event: Event): void => {
    chosen = undefined;
    byPointer = isPointer ? event.composedPath()[0] : undefined;
  };
  /** A list in which the pointer has chosen is done with its keys until it is opened again. */
  const onChange = (event: Event): void => {
    const [target] = event.composedPath();
    if (isElement(target) && target.tagName === "SELECT" && byPointer === target) chosen = target;
  };
  page.addEventListener("pointerdown", onPointer, { capture: true });
  page.addEventListener("keydown", onKey, { capture: true });
  page.addEventListener("focusin", onFocus, { capture: true });
  page.addEventListener("change", onChange);
  return {
    factsOf: (event, stage) => {
      const [target] = event.composedPath();
      const element = isElement(target) ? target : undefined;
      const isByPointer = element !== undefined && byPointer === element;
      if (isByPointer && chosen === element)
        return { takesAllKeys: false, ownKeys: new Set([event.code]), isByPointer };
      return { ...keysOf(element, stage), isByPointer };
    },
    close: () => {
      page.removeEventListener("pointerdown", onPointer, { capture: true });
      page.removeEventListener("keydown", onKey, { capture: true });
      page.removeEventListener("focusin", onFocus, { capture: true });
      page.removeEventListener("change", onChange);
    },
  };
}

function isElement(target: EventTarget | undefined): target is Element {
  return typeof (target as Element | undefined)?.tagName === "string";
}

/** The element with the focus, inside of open shadow roots too. */
function deepFocus(page: Document): Element | null {
  let focused = page.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused;
}
