import type { DeviceContext } from "./device-context.ts";

/** Who ended a pointer lock: the page by a call, or the user and the browser. */
export type PointerLockEnd = "page" | "user";

/** How a mouse is watched. */
export interface MouseOptions {
  /** The element over the picture. */
  readonly target: HTMLElement;
  /** Whether a click locks the pointer. */
  locksPointer(): boolean;
  /** Hears that the pointer was locked, or let go of and by whom. */
  onLock(isLocked: boolean, endedBy?: PointerLockEnd): void;
}

/** A watched mouse. */
export interface MouseDevice {
  /** Whether the pointer is locked. */
  readonly isLocked: boolean;
  /** Asks for the pointer. */
  lock(): Promise<boolean>;
  /** Lets go of the pointer. */
  unlock(): void;
  /** Watches no more. */
  close(this: void): void;
}

const LINE_PIXELS = 16;
const PAGE_PIXELS = 400;

/** Watches mouse and wheel; without pointer lock, dragging looks around. A finger that drags does as well. */
export function watchMouse(context: DeviceContext, options: MouseOptions): MouseDevice {
  const { session } = context;
  const { target } = options;
  const page = target.ownerDocument;
  const drags = new Map<number, { x: number; y: number }>();
  let wasLocked = false;
  let isUnlocking = false;
  let lockingButton: number | undefined;
  const isLocked = (): boolean => page.pointerLockElement === target;

  const lock = async (): Promise<boolean> => {
    if (isLocked()) return true;
    if (typeof target.requestPointerLock !== "function") return false;
    try {
      await target.requestPointerLock({ unadjustedMovement: true });
    } catch {
      // Not every system gives movements without its own acceleration; then with it.
      await Promise.resolve(target.requestPointerLock()).catch(() => undefined);
    }
    return isLocked();
  };
  const move = (deltaX: number, deltaY: number): void => {
    if ((deltaX !== 0 || deltaY !== 0) && context.claim()) context.changed(session.input.moveMouse(deltaX, deltaY));
  };

  const onPointerDown = (event: PointerEvent): void => {
    if (event.pointerType === "mouse") {
      if (!context.claim()) return;
      if (options.locksPointer() && !isLocked()) {
        // The click that takes the pointer means nothing else.
        void lock();
        lockingButton = event.button;
        if (context.layout.usesMouseButtons) return;
      }
    }
    if (!context.layout.looks || isLocked()) return;
    drags.set(event.pointerId, { x: event.clientX, y: event.clientY });
    try {
      target.setPointerCapture(event.pointerId);
    } catch {
      // A pointer that is just being locked, or is gone already, cannot be captured, and need not be.
    }
  };
  const onPointerMove = (event: PointerEvent): void => {
    const drag = drags.get(event.pointerId);
    if (drag === undefined || isLocked()) return;
    move(event.clientX - drag.x, event.clientY - drag.y);
    drags.set(event.pointerId, { x: event.clientX, y: event.clientY });
  };
  const onPointerUp = (event: PointerEvent): void => {
    drags.delete(event.pointerId);
  };
  // Of several buttons that are down at once only the first comes as a pointer event; each one comes as a mouse event.
  const onMouseDown = (event: MouseEvent): void => {
    const isLocking = lockingButton === event.button;
    lockingButton = undefined;
    if (isLocking || isFromTouch(event) || !context.layout.usesMouseButtons || !context.claim()) return;
    context.changed(session.input.buttonDown(mouseButton(event.button)));
  };
  const onMouseUp = (event: MouseEvent): void => {
    context.changed(session.input.buttonUp(mouseButton(event.button)));
    releaseOthers(event);
  };
  // A button that went up where the page could not see it, such as outside of the window, is up.
  const releaseOthers = ({ buttons }: MouseEvent): void => {
    for (const button of session.input.heldButtons) {
      if (!isDown(buttons, button)) context.changed(session.input.buttonUp(button));
    }
  };
  const onMouseMove = (event: MouseEvent): void => {
    if (isFromTouch(event)) return;
    releaseOthers(event);
    // Movements of a locked pointer come as mouse events everywhere.
    if (isLocked()) move(event.movementX, event.movementY);
  };
  const onWheel = (event: WheelEvent): void => {
    // Over a stage that nobody has chosen, or whose world has no use for it, the wheel scrolls the page; with Ctrl it zooms.
    if (!context.layout.looks || event.ctrlKey || !(isLocked() || context.isChosen) || !context.claim()) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? LINE_PIXELS : event.deltaMode === 2 ? PAGE_PIXELS : 1;
    context.changed(session.input.turnWheel(event.deltaX * unit, event.deltaY * unit));
  };
  const onLockChange = (): void => {
    if (isLocked() === wasLocked) return;
    wasLocked = isLocked();
    if (wasLocked) {
      isUnlocking = false;
      options.onLock(true);
      return;
    }
    context.release("pointer_lock");
    options.onLock(false, isUnlocking ? "page" : "user");
    isUnlocking = false;
  };
  const onContextMenu = (event: Event): void => {
    if (context.layout.usesMouseButtons || isLocked()) event.preventDefault();
  };

  const listeners: readonly (readonly [EventTarget, string, (event: never) => void, AddEventListenerOptions?])[] = [
    [target, "pointerdown", onPointerDown],
    [target, "pointermove", onPointerMove],
    [target, "pointerup", onPointerUp],
    [target, "pointercancel", onPointerUp],
    [target, "mousedown", onMouseDown],
    [page, "mouseup", onMouseUp],
    [page, "mousemove", onMouseMove],
    [target, "wheel", onWheel, { passive: false }],
    [target, "contextmenu", onContextMenu],
    [page, "pointerlockchange", onLockChange],
  ];
  for (const [source, name, listener, flags] of listeners)
    source.addEventListener(name, listener as EventListener, flags);
  const unlock = (): void => {
    if (!isLocked()) return;
    isUnlocking = true;
    page.exitPointerLock();
  };
  return {
    get isLocked() {
      return isLocked();
    },
    lock,
    unlock,
    close: () => {
      unlock();
      for (const [source, name, listener, flags] of listeners) {
        source.removeEventListener(name, listener as EventListener, flags);
      }
    },
  };
}

/** Buttons are numbered alike in events and on the wire. */
function mouseButton(button: number): number {
  return Math.max(0, button);
}

/** Buttons in the order in which the bit mask of an event has them. */
const MASK_ORDER = [0, 2, 1, 3, 4];

/** Whether a button is down, as the mask of an event says. */
function isDown(mask: number, button: number): boolean {
  const bit = MASK_ORDER.indexOf(button);
  return bit < 0 || (mask & (1 << bit)) !== 0;
}

/** Mouse events that browsers make after a touch say nothing about a mouse. */
function isFromTouch(event: MouseEvent): boolean {
  return (
    (event as MouseEvent & { readonly sourceCapabilities?: { readonly firesTouchEvents?: boolean } }).sourceCapabilities
      ?.firesTouchEvents === true
  );
}
