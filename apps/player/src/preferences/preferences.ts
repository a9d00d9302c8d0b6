import { useCallback, useState } from "react";

/** What the page remembers on this device. */
export interface Preferences {
  /** Whether the numbers are shown. */
  readonly showsStats: boolean;
  /** Whether the legend of the controls is shown. */
  readonly showsLegend: boolean;
  /** Whether the prompt has been used here, so that nobody has to be told how to get there. */
  readonly knowsPrompt: boolean;
  /** Whether the menu has been opened here. */
  readonly knowsMenu: boolean;
  /** Per world: which physical key stands for which of the world's codes. */
  readonly remaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** What is in force before anything is remembered. */
export const DEFAULT_PREFERENCES: Preferences = Object.freeze({
  showsStats: false,
  showsLegend: true,
  knowsPrompt: false,
  knowsMenu: false,
  remaps: {},
});

const STORAGE_KEY = "dreamloop.player.1";

/** Reads what was remembered; whatever is not as expected is left at its default. */
export function readPreferences(text: string | null): Preferences {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? "{}");
  } catch {
    return DEFAULT_PREFERENCES;
  }
  if (!isRecord(stored)) return DEFAULT_PREFERENCES;
  const remaps: Record<string, Record<string, string>> = {};
  for (const [world, remap] of Object.entries(isRecord(stored.remaps) ? stored.remaps : {})) {
    if (!isRecord(remap)) continue;
    const pairs = Object.entries(remap).filter((pair): pair is [string, string] => typeof pair[1] === "string");
    remaps[world] = Object.fromEntries(pairs);
  }
  const flag = (name: "showsStats" | "showsLegend" | "knowsPrompt" | "knowsMenu"): boolean => {
    const value = stored[name];
    return typeof value === "boolean" ? value : DEFAULT_PREFERENCES[name];
  };
  return {
    showsStats: flag("showsStats"),
    showsLegend: flag("showsLegend"),
    knowsPrompt: flag("knowsPrompt"),
    knowsMenu: flag("knowsMenu"),
    remaps,
  };
}

/** The preferences of this device, and how to change them. */
export function usePreferences(): readonly [Preferences, (change: Partial<Preferences>) => void] {
  const [preferences, setPreferences] = useState(load);
  const change = useCallback((part: Partial<Preferences>) => {
    setPreferences((before) => {
      const next = { ...before, ...part };
      try {
        window.localStorage.setItem(STORAGE_KEY, JSON.stringify(next));
      } catch {
        // Storage may be forbidden or full; the choice then lasts as long as the page.
      }
      return next;
    });
  }, []);
  return [preferences, change];
}

function load(): Preferences {
  try {
    return readPreferences(window.localStorage.getItem(STORAGE_KEY));
  } catch {
    return DEFAULT_PREFERENCES;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
