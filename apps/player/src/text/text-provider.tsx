import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import { usePreferences } from "../preferences/preferences.tsx";
import { languageFor, messagesOf } from "./languages.ts";
import type { Messages } from "./messages.ts";

const TextContext = createContext<Messages>(messagesOf("en"));

/** Gives everything inside its words, in the language that was chosen or that the browser asks for, and names it in the document. */
export function TextProvider({ children }: { readonly children: ReactNode }): ReactNode {
  const [{ language: choice }] = usePreferences();
  const language = languageFor(choice, navigator.languages);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const messages = useMemo(() => messagesOf(language), [language]);
  return <TextContext.Provider value={messages}>{children}</TextContext.Provider>;
}

/** What the page says, in the language of the person in front of it. */
export function useText(): Messages {
  return useContext(TextContext);
}
