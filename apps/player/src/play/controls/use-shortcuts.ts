import { useEffect, useRef } from "react";
import { pageActionOf } from "./page-keys.ts";

/** What the page's own keys do. */
export interface Shortcuts {
  /** Whether the menu is open; then only the dialog's own keys count. */
  readonly isMenuOpen: boolean;
  /** Escape. */
  readonly onMenu: () => void;
  /** Enter or Slash. */
  readonly onPrompt: () => void;
  /** Backquote. */
  readonly onStats: () => void;
  /** KeyP. */
  readonly onPause: () => void;
}

/** What Enter presses when it has the focus. */
const PRESSABLE = "button, a, summary, label, select, [role=button]";

/** The page's own keys. One that the world uses never arrives here, since the world's listener takes it first. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const newest = useRef(shortcuts);
  useEffect(() => {
    newest.current = shortcuts;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { isMenuOpen, onMenu, onPrompt, onStats, onPause } = newest.current;
      if (isMenuOpen || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.repeat)
        return;
      const action = pageActionOf(event);
      const target = event.target as HTMLElement | null;
      const isEditing = target !== null && target.closest("input, textarea, select, [contenteditable]") !== null;
      if (event.code === "Escape") {
        if (isEditing) target.blur();
        else onMenu();
      } else if (isEditing || action === undefined || (isEnter(event.code) && isPressable(target))) return;
      else if (action === "prompt") onPrompt();
      else if (action === "numbers") onStats();
      else onPause();
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}

function isPressable(target: HTMLElement | null): boolean {
  return target !== null && target.closest(PRESSABLE) !== null;
}

function isEnter(code: string): boolean {
  return code === "Enter" || code === "NumpadEnter";
}
