import { english } from "./english.ts";
import { german } from "./german.ts";
import type { Messages } from "./messages.ts";

/** The languages of the page, each by its own name. */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;

/** A language of the page, as BCP 47 names it. */
export type Language = keyof typeof LANGUAGES;

/** What a person wants: one language, or the browser's. */
export type LanguageChoice = Language | "browser";

const CATALOGUES: Readonly<Record<Language, Messages>> = { en: english, de: german };

/** What the page says in a language. */
export function messagesOf(language: Language): Messages {
  return CATALOGUES[language];
}

/** Whether something names a language of the page. */
export function isLanguage(value: unknown): value is Language {
  return typeof value === "string" && Object.hasOwn(LANGUAGES, value);
}

/** The language of the page: the one that was chosen, else the first of the browser's that the page speaks, else English. */
export function languageFor(choice: LanguageChoice, browserLanguages: readonly string[]): Language {
  if (choice !== "browser") return choice;
  return browserLanguages.map((tag) => tag.split("-")[0]?.toLowerCase()).find(isLanguage) ?? "en";
}
