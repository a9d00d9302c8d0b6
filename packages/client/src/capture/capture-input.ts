import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { PlaySession } from "../session/play-session.ts";
import { controlLayout, type ControlLayout } from "../input/control-layout.ts";
import { watchGamepads, type GamepadDevices, type GamepadNews, type UnknownPadNews } from "./devices/gamepad-watch.ts";
import type { PadMapping, PadSource } from "./devices/pad-mapping.ts";
import { DEFAULT_PAD_DEAD_ZONE } from "./devices/pad-rest.ts";
import { watchKeyboard } from "./devices/keyboard-watch.ts";
import { watchMouse, type MouseDevice, type PointerLockEnd } from "./devices/mouse-watch.ts";
import type { ReleaseReason } from "../input/input-state.ts";
import type { WheelMapping } from "./devices/wheel-mapping.ts";
import type { DeviceContext } from "./devices/device-context.ts";
import { stagesOf, type PageStage } from "./devices/page-stages.ts";

/** How input is captured. */
export interface CaptureOptions {
  /** The element over the picture: clicks on it lock the pointer, drags on it look around. */
  readonly target: HTMLElement;
  /** Which code of the world a physical key stands for, such as `{ KeyI: "KeyW" }`; keys that are not listed are themselves. */
  readonly remap?: Readonly<Record<string, string>>;
  /** Where a steering wheel has its axes; default by its number of axes. */
  readonly wheelMapping?: WheelMapping;
  /** Keys that the page keeps for itself unless the world names them among its controls: by code (`KeyM`) or by the character that they type (`/`). */
  readonly reservedKeys?: readonly string[];
  /**
   * Whose the keys of the page are; default `stage`: they reach the world while its stage is the one that the person clicked on or focused last, or
   * the only one of a page that does not scroll. `page`: all keys are the world's, unless another stage was chosen.
   */
  readonly keyScope?: "stage" | "page";
  /** Whether a click locks the pointer; default: where the world is looked around in. */
  readonly locksPointer?: boolean;
  /** Hears of gamepads that come and go. */
  readonly onGamepad?: (news: GamepadNews) => void;
  /** Hears of devices whose controls nobody knows. They are not read until the person has bound them: see `learnPadControl` and `setPadMappings`. */
  readonly onUnknownPad?: (news: UnknownPadNews) => void;
  /** What the person has bound, by the browser's name of the gamepad; counts before what is known of it. */
  readonly padMappings?: Readonly<Record<string, PadMapping>>;
  /** How far sticks and triggers have to leave their rest before they count, 0 to 0.9; default 0.1. */
  readonly padDeadZone?: number;
  /** Start was pressed on a gamepad, and the world has no use for it: the place to open a menu. */
  readonly onMenu?: () => void;
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
  /** Another dead zone from now on, 0 to 0.9. */
  setPadDeadZone(deadZone: number): void;
  /** Other mappings from now on, by the browser's name of the gamepad. */
  setPadMappings(mappings: Readonly<Record<string, PadMapping>>): void;
  /** Takes where sticks and triggers are now for their rest; to be called while the person has let go of everything. */
  calibratePads(): void;
  /**
   * Resolves with the raw control that the person moves next on the gamepad of this number, for a `PadMapping`. Until then gamepads count as at rest. Rejects with the reason
   * of `signal`, and with `not_found` when the gamepad goes.
   */
  learnPadControl(index: number, options?: { readonly signal?: AbortSignal }): Promise<PadSource>;
  /** Releases everything and listens no more. Idempotent. */
  close(): void;
}

/** Captures keyboard, mouse, wheel and gamepads for a session, and releases everything when the page loses the user's attention. */
export function captureInput(session: PlaySession, options: CaptureOptions): InputCapture {
  let layout = controlLayout(session.world.controls);
  let isBlocked = false;
  let isClosed = false;
  let remap = options.remap ?? {};
  let padMappings = options.padMappings ?? {};
  let padDeadZone = readDeadZone(options.padDeadZone ?? DEFAULT_PAD_DEAD_ZONE, "CaptureOptions.padDeadZone");
  const { target } = options;
  const page = target.ownerDocument;
  const stages = stagesOf(page);
  const stage: PageStage = {
    element: target,
    ownsPage: options.keyScope === "page",
    leave: () => context.release("blur"),
  };
  const context: DeviceContext = {
    session,
    target,
    get layout() {
      return layout;
    },
    get standing() {
      return stages.standing(stage);
    },
    get isChosen() {
      return stages.isAddressed(stage);
    },
    claim: () => {
      if (isBlocked || isClosed) return false;
      stages.address(stage);
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
  const mouse: MouseDevice = watchMouse(context, {
    target,
    locksPointer: () => options.locksPointer ?? layout.looks,
    onLock: (isLocked, endedBy) => options.onPointerLock?.(isLocked, endedBy),
  });
  const pads: GamepadDevices = watchGamepads(context, page, {
    onNews: (news) => options.onGamepad?.(news),
    onUnknown: (news) => options.onUnknownPad?.(news),
    onMenu: () => options.onMenu?.(),
    deadZone: () => padDeadZone,
    mappingOf: (id) => (Object.hasOwn(padMappings, id) ? padMappings[id] : undefined),
    ...(options.wheelMapping === undefined ? {} : { wheelMapping: options.wheelMapping }),
  });
  const watches = [
    stages.add(stage),
    watchKeyboard(context, page, {
      codeOf: (code) => remap[code] ?? code,
      isTaken: (code) => remap[code] !== undefined,
      reserved: new Set(options.reservedKeys ?? []),
    }),
    mouse.close,
    watchFocus(context, page),
    pads.close,
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
    setPadDeadZone: (deadZone) => {
      padDeadZone = readDeadZone(deadZone, "setPadDeadZone");
    },
    setPadMappings: (mappings) => {
      padMappings = mappings;
      pads.remap();
    },
    calibratePads: () => pads.calibrate(),
    learnPadControl: (index, { signal } = {}) => pads.learn(index, signal),
    close: () => {
      if (isClosed) return;
      context.release("detached");
      isClosed = true;
      for (const stop of watches) stop();
    },
  };
}

function readDeadZone(value: number, place: string): number {
  if (typeof value === "number" && value >= 0 && value <= 0.9) return value;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${place}: expected a number from 0 to 0.9, found ${String(value)}`,
  );
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
