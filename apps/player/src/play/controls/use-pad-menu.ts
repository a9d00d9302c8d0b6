import { useEffect, useRef } from "react";

/** Buttons of the standard mapping that work the menu. */
const BUTTONS = { accept: 0, cancel: 1, up: 12, down: 13, left: 14, right: 15 } as const;

/** What works with a gamepad's buttons. */
export interface PadMenu {
  /** Whether the menu is open. */
  readonly isMenuOpen: boolean;
  /** Closes it. */
  readonly onClose: () => void;
}

/** Which buttons went down between two readings. */
export function pressedNow(before: readonly boolean[], now: readonly boolean[]): readonly number[] {
  return now.flatMap((isDown, index) => (isDown && before[index] !== true ? [index] : []));
}

/** Lets a gamepad work the open menu: it moves the focus, presses and goes back. Start, which opens and closes the menu, comes from the capture. */
export function usePadMenu(menu: PadMenu): void {
  const newest = useRef(menu);
  useEffect(() => {
    newest.current = menu;
  });
  useEffect(() => {
    const before = new Map<number, readonly boolean[]>();
    let frame: number | undefined;
    const read = (): void => {
      frame = undefined;
      const pads = navigator.getGamepads().filter((pad) => pad !== null);
      for (const pad of pads) {
        const now = pad.buttons.map(({ pressed }) => pressed);
        const known = before.get(pad.index);
        before.set(pad.index, now);
        // What is down at the first reading was pressed for something else.
        if (known !== undefined && pad.mapping === "standard" && document.hasFocus()) {
          for (const button of pressedNow(known, now)) act(newest.current, button);
        }
      }
      if (pads.length > 0) frame = requestAnimationFrame(read);
    };
    const start = (): void => {
      frame ??= requestAnimationFrame(read);
    };
    if (typeof navigator.getGamepads !== "function") return undefined;
    start();
    window.addEventListener("gamepadconnected", start);
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      window.removeEventListener("gamepadconnected", start);
    };
  }, []);
}

function act({ isMenuOpen, onClose }: PadMenu, button: number): void {
  if (!isMenuOpen) return;
  if (button === BUTTONS.cancel) onClose();
  else if (button === BUTTONS.accept) (document.activeElement as HTMLElement | null)?.click();
  else if (button === BUTTONS.up || button === BUTTONS.left) moveFocus(-1);
  else if (button === BUTTONS.down || button === BUTTONS.right) moveFocus(1);
}

const FOCUSABLE = "a[href], button:not(:disabled), input:not(:disabled), select, summary";

/** Moves the focus within the dialog in front, around its ends. */
function moveFocus(step: number): void {
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const stops = [...(dialog?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? [])];
  if (stops.length === 0) return;
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[(at + step + stops.length) % stops.length]?.focus();
}
