import { useEffect, useRef } from "react";

/** Codes of the page's own keys. */
export const PAGE_KEYS: readonly string[] = Object.freeze(["Slash", "Backquote", "KeyP"]);

/** What the page's own keys do. */
export interface Shortcuts {
  /** Whether the menu is open; then only the dialog's own keys count. */
  readonly isMenuOpen: boolean;
  /** Escape. */
  readonly onMenu: () => void;
  /** Slash. */
  readonly onPrompt: () => void;
  /** Backquote. */
  readonly onStats: () => void;
  /** KeyP. */
  readonly onPause: () => void;
}

/** The page's own keys: none of them is one that worlds use by default. */
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
      const target = event.target as HTMLElement | null;
      const isEditing = target !== null && target.closest("input, textarea, select, [contenteditable]") !== null;
      if (event.code === "Escape") {
        if (isEditing) target.blur();
        else onMenu();
      } else if (isEditing) return;
      else if (event.code === "Slash") onPrompt();
      else if (event.code === "Backquote") onStats();
      else if (event.code === "KeyP") onPause();
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
