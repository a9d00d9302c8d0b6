import { DEFAULT_PAD_DEAD_ZONE } from "@dreamloop/client";
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { isLanguage, type LanguageChoice } from "../text/languages.ts";

/** What the page remembers on this device. */
export interface Preferences {
  /** Whether the numbers are shown. */
  readonly showsStats: boolean;
  /** Whether the details below the numbers are open. */
  readonly showsDetails: boolean;
  /** Whether the legend of the controls is shown. */
  readonly showsLegend: boolean;
  /** Whether the previews of the gallery stand still. */
  readonly holdsPreviews: boolean;
  /** Whether the prompt has been used here, so that hints about it can go. */
  readonly knowsPrompt: boolean;
  /** Whether the menu has been opened here. */
  readonly knowsMenu: boolean;
  /** The language of the page. */
  readonly language: LanguageChoice;
  /** How far a stick moves before it counts, 0 to `MAX_DEAD_ZONE`. */
  readonly deadZone: number;
  /** Per world: which physical key stands for which of the world's codes. */
  readonly remaps: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The largest dead zone that can be chosen. */
export const MAX_DEAD_ZONE = 0.5;

/** What is in force before anything is remembered. */
export const DEFAULT_PREFERENCES: Preferences = Object.freeze({
  showsStats: false,
  showsDetails: false,
  showsLegend: true,
  holdsPreviews: false,
  knowsPrompt: false,
  knowsMenu: false,
  language: "browser",
  deadZone: DEFAULT_PAD_DEAD_ZONE,
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
  const flag = (name: keyof Preferences): boolean =>
    typeof stored[name] === "boolean" ? stored[name] : DEFAULT_PREFERENCES[name] === true;
  const { language, deadZone } = stored;
  const isZone = typeof deadZone === "number" && deadZone >= 0 && deadZone <= MAX_DEAD_ZONE;
  return {
    showsStats: flag("showsStats"),
    showsDetails: flag("showsDetails"),
    showsLegend: flag("showsLegend"),
    holdsPreviews: flag("holdsPreviews"),
    knowsPrompt: flag("knowsPrompt"),
    knowsMenu: flag("knowsMenu"),
    language: isLanguage(language) ? language : DEFAULT_PREFERENCES.language,
    deadZone: isZone ? deadZone : DEFAULT_PREFERENCES.deadZone,
    remaps,
  };
}

/** The preferences of this device, and how to change them. */
export type PreferencesInUse = readonly [Preferences, (change: Partial<Preferences>) => void];

const PreferencesContext = createContext<PreferencesInUse>([DEFAULT_PREFERENCES, () => undefined]);

/** Keeps the preferences of this device for everything inside. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }): ReactNode {
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
  const value = useMemo(() => [preferences, change] as const, [preferences, change]);
  return <PreferencesContext.Provider value={value}>{children}</PreferencesContext.Provider>;
}

/** The preferences of this device, and how to change them. */
export function usePreferences(): PreferencesInUse {
  return useContext(PreferencesContext);
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
