import type { ControlHint } from "@dreamloop/core";
import { InputState } from "../input/input-state.ts";
import type { PlaySession } from "../session/play-session.ts";

/** What a test says of an element. */
export interface FakeElementOptions {
  readonly role?: string;
  readonly type?: string;
  readonly href?: string;
  readonly isContentEditable?: boolean;
  readonly shadowRoot?: object | null;
  readonly rect?: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
}

/** An element as far as captures look at it. */
export class FakeElement extends EventTarget {
  readonly tagName: string;
  readonly ownerDocument: FakePage;
  readonly isContentEditable: boolean;
  readonly shadowRoot: object | null;
  readonly type: string;
  readonly parentNode: object | null = null;
  rect: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
  readonly #attributes: ReadonlyMap<string, string>;

  constructor(page: FakePage, tagName: string, options: FakeElementOptions = {}) {
    super();
    this.tagName = tagName.toUpperCase();
    this.ownerDocument = page;
    this.isContentEditable = options.isContentEditable ?? false;
    this.shadowRoot = options.shadowRoot ?? null;
    this.type = options.type ?? "";
    this.rect = options.rect ?? { left: 0, top: 0, width: 600, height: 400 };
    const { role, href } = options;
    this.#attributes = new Map(
      Object.entries({ role, href }).filter(([, value]) => value !== undefined) as [string, string][],
    );
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.#attributes.has(name);
  }

  matches(): boolean {
    return ["BUTTON", "INPUT", "A", "SELECT"].includes(this.tagName);
  }

  getBoundingClientRect(): object {
    const { left, top, width, height } = this.rect;
    return { left, top, width, height, right: left + width, bottom: top + height };
  }

  setPointerCapture(): void {}
}

/** What a test says of a key that goes down or up. */
export interface FakeKey {
  /** What has the focus; default the body. */
  readonly on?: FakeElement;
  /** Modifiers that are down. */
  readonly with?: readonly string[];
  readonly key?: string;
  readonly keyCode?: number;
  readonly repeat?: boolean;
  readonly isComposing?: boolean;
}

/** A gamepad as a browser gives it. */
export interface FakeGamepad {
  readonly index: number;
  readonly id: string;
  readonly mapping: string;
  axes: number[];
  buttons: number[];
}

/** A page with a window, in which a test presses keys and moves pointers. */
export class FakePage extends EventTarget {
  readonly defaultView: FakeView;
  readonly scrollingElement: { scrollHeight: number; clientHeight: number };
  readonly body: FakeElement;
  readonly designMode = "off";
  visibilityState = "visible";
  activeElement: FakeElement | null = null;
  pointerLockElement: FakeElement | null = null;
  isFocused = true;

  constructor(options: { readonly scrolls?: boolean } = {}) {
    super();
    this.defaultView = new FakeView();
    this.scrollingElement = { clientHeight: 600, scrollHeight: options.scrolls === true ? 4000 : 600 };
    this.body = new FakeElement(this, "body");
  }

  hasFocus(): boolean {
    return this.isFocused;
  }

  /** Makes an element. */
  element(tagName: string, options?: FakeElementOptions): FakeElement {
    return new FakeElement(this, tagName, options);
  }

  /** A key goes down; tells whether the page kept the browser from doing its own. */
  keyDown(code: string, change: FakeKey = {}): boolean {
    return this.#key("keydown", code, change);
  }

  /** A key goes up. */
  keyUp(code: string, change: FakeKey = {}): boolean {
    return this.#key("keyup", code, change);
  }

  /** The pointer goes down somewhere; an element that can have the focus gets it. */
  click(on: FakeElement, options: { readonly focuses?: boolean; readonly inside?: readonly FakeElement[] } = {}): void {
    const path = [on, ...(options.inside ?? []), this.body, this];
    const { left, top } = on.rect;
    this.send("pointerdown", { path, clientX: left + 1, clientY: top + 1, pointerType: "mouse", button: 0 });
    if (options.focuses !== false) this.focus(on);
  }

  /** An element gets the focus. */
  focus(on: FakeElement): void {
    this.activeElement = on;
    this.send("focusin", { path: [on, this.body, this] });
  }

  /** Dispatches an event on the page with a path of its own. */
  send(name: string, { path, ...fields }: { readonly path: readonly EventTarget[] } & Record<string, unknown>): Event {
    const event = new Event(name, { cancelable: true, bubbles: true });
    Object.defineProperty(event, "composedPath", { value: () => path });
    for (const [field, value] of Object.entries(fields)) Object.defineProperty(event, field, { value });
    this.dispatchEvent(event);
    return event;
  }

  #key(name: string, code: string, { on = this.body, with: held = [], ...fields }: FakeKey): boolean {
    const event = this.send(name, {
      path: [on, this],
      code,
      key: code.replace(/^(Key|Digit)/, ""),
      keyCode: 0,
      repeat: false,
      isComposing: false,
      shiftKey: held.includes("Shift"),
      ctrlKey: held.includes("Control"),
      altKey: held.includes("Alt"),
      metaKey: held.includes("Meta"),
      getModifierState: (modifier: string) => held.includes(modifier),
      ...fields,
    });
    return event.defaultPrevented;
  }
}

/** The window of a fake page: its frames come when a test says so. */
export class FakeView extends EventTarget {
  readonly innerWidth = 800;
  readonly innerHeight = 600;
  readonly navigator: { getGamepads(): readonly (object | null)[] };
  /** The gamepads that are plugged in. */
  pads: FakeGamepad[] = [];
  #frames = new Map<number, (now: number) => void>();
  #next = 1;

  constructor() {
    super();
    this.navigator = {
      getGamepads: () =>
        this.pads.map((pad) => {
          const buttons = pad.buttons.map((value) => ({ value, pressed: value > 0.5, touched: value > 0 }));
          return { ...pad, buttons, connected: true };
        }),
    };
  }

  requestAnimationFrame(callback: (now: number) => void): number {
    this.#frames.set(this.#next, callback);
    return this.#next++;
  }

  cancelAnimationFrame(handle: number): void {
    this.#frames.delete(handle);
  }

  getComputedStyle(): { readonly overflowY: string } {
    return { overflowY: "visible" };
  }

  /** The screen is drawn; gamepads are read before. */
  frame(): void {
    const frames = this.#frames;
    this.#frames = new Map();
    for (const callback of frames.values()) callback(0);
  }
}

/** A session without a link, whose input a test looks at. */
export function fakeSession(controls: readonly ControlHint[]): PlaySession {
  const session = {
    input: new InputState(),
    state: "running",
    world: { controls },
    inputChanged: () => undefined,
    on: () => () => undefined,
  };
  return session as unknown as PlaySession;
}
