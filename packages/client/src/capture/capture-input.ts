import type { PlaySession } from "../session/play-session.ts";
import { controlLayout, type ControlLayout } from "../input/control-layout.ts";
import { watchGamepads, type GamepadNews } from "./devices/gamepad-watch.ts";
import { watchKeyboard } from "./devices/keyboard-watch.ts";
import { watchMouse, type MouseDevice, type PointerLockEnd } from "./devices/mouse-watch.ts";
import type { ReleaseReason } from "../input/input-state.ts";
import type { WheelMapping } from "./devices/wheel-mapping.ts";
import type { DeviceContext } from "./devices/device-context.ts";

/** How input is captured. */
export interface CaptureOptions {
  /** The element over the picture: clicks on it lock the pointer, drags on it look around. */
  readonly target: HTMLElement;
  /** Which code of the world a physical key stands for, such as `{ KeyI: "KeyW" }`; keys that are not listed are themselves. */
  readonly remap?: Readonly<Record<string, string>>;
  /** Where a steering wheel has its axes; default by its number of axes. */
  readonly wheelMapping?: WheelMapping;
  /** Keys that the page keeps for itself, by code, unless the world names them among its controls. */
  readonly reservedKeys?: readonly string[];
  /** Whether a click locks the pointer; default: where the world is looked around in. */
  readonly locksPointer?: boolean;
  /** Hears of gamepads that come and go. */
  readonly onGamepad?: (news: GamepadNews) => void;
  /** Hears that the pointer was locked, or let go of: by a call of the page, or by the user, for whom Escape does it. */
  readonly onPointerLock?: (isLocked: boolean, endedBy?: PointerLockEnd) => void;
}

/** Input that is captured from a page; whoever made it closes it. */
export interface InputCapture {
  /** What the world's controls are, by device; another one once a world that was loading tells its controls. */
  readonly layout: ControlLayout;
  /** Whether the pointer is locked. */
  readonly isPointerLocked: boolean;
  /** Asks for the pointer; resolves with whether it is locked. */
  lockPointer(): Promise<boolean>;
  /** Lets go of the pointer, so that the page can be clicked again; input goes on. */
  unlockPointer(): void;
  /** Releases everything and keeps all input from the world until `unblock()`: for menus. */
  block(reason?: ReleaseReason): void;
  /** Input reaches the world again. */
  unblock(): void;
  /** Other keys from now on. */
  setRemap(remap: Readonly<Record<string, string>>): void;
  /** Releases everything and listens no more. Idempotent. */
  close(): void;
}

/** Captures keyboard, mouse, wheel and gamepads for a session, and releases everything when the page loses the user's attention. */
export function captureInput(session: PlaySession, options: CaptureOptions): InputCapture {
  let layout = controlLayout(session.world.controls);
  let isBlocked = false;
  let isClosed = false;
  let remap = options.remap ?? {};
  const context: DeviceContext = {
    session,
    get layout() {
      return layout;
    },
    claim: () => {
      if (isBlocked || isClosed) return false;
      if (session.input.focus()) session.inputChanged();
      return true;
    },
    changed: (isNews) => {
      if (isNews) session.inputChanged();
    },
    release: (reason) => {
      // What the menu has released stays released, whatever else is lost meanwhile.
      if (isBlocked || !session.input.release(reason)) return;
      session.inputChanged();
    },
  };
  const { target } = options;
  const page = target.ownerDocument;
  const mouse: MouseDevice = watchMouse(context, {
    target,
    locksPointer: () => options.locksPointer ?? layout.looks,
    onLock: (isLocked, endedBy) => options.onPointerLock?.(isLocked, endedBy),
  });
  const watches = [
    watchKeyboard(context, page, {
      codeOf: (code) => remap[code] ?? code,
      isTaken: (code) => remap[code] !== undefined,
      reserved: new Set(options.reservedKeys ?? []),
    }),
    mouse.close,
    watchFocus(context, page),
    watchGamepads(context, page, {
      onNews: (news) => options.onGamepad?.(news),
      ...(options.wheelMapping === undefined ? {} : { wheelMapping: options.wheelMapping }),
    }),
    session.on("world", ({ controls }) => {
      layout = controlLayout(controls);
    }),
    session.on("state", (state) => {
      if (state === "reconnecting") context.release("link");
    }),
  ];
  return {
    get layout() {
      return layout;
    },
    get isPointerLocked() {
      return mouse.isLocked;
    },
    lockPointer: () => mouse.lock(),
    unlockPointer: () => mouse.unlock(),
    block: (reason = "menu") => {
      context.release(reason);
      isBlocked = true;
      mouse.unlock();
    },
    unblock: () => {
      if (!isBlocked) return;
      isBlocked = false;
      context.claim();
    },
    setRemap: (next) => {
      context.release("menu");
      remap = next;
    },
    close: () => {
      if (isClosed) return;
      context.release("detached");
      isClosed = true;
      for (const stop of watches) stop();
    },
  };
}

/** Releases everything when the page loses the keyboard or is hidden. */
function watchFocus(context: DeviceContext, page: Document): () => void {
  const view = page.defaultView;
  const onBlur = (): void => context.release("blur");
  const onVisibility = (): void => {
    if (page.visibilityState === "hidden") context.release("hidden");
  };
  const onHide = (): void => context.release("hidden");
  view?.addEventListener("blur", onBlur);
  view?.addEventListener("pagehide", onHide);
  page.addEventListener("visibilitychange", onVisibility);
  return () => {
    view?.removeEventListener("blur", onBlur);
    view?.removeEventListener("pagehide", onHide);
    page.removeEventListener("visibilitychange", onVisibility);
  };
}
