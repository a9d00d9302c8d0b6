import { useId, type ReactNode } from "react";
import { Icon } from "./icons.tsx";
import { usePreferences } from "../preferences/preferences.tsx";
import { isLanguage, languageFor, LANGUAGES } from "../text/languages.ts";
import { useText } from "../text/text-provider.tsx";

/** Chooses the player's language. Each language is listed under its own name, so that its speakers recognise it. */
export function LanguageSwitch(): ReactNode {
  const text = useText();
  const [{ language }, changePreferences] = usePreferences();
  const id = useId();
  return (
    <span className="language-switch">
      <label htmlFor={id}>
        <Icon name="language" /> <span>{text.common.language}</span>
      </label>
      <select
        id={id}
        value={language}
        onChange={({ target }) => changePreferences({ language: isLanguage(target.value) ? target.value : "browser" })}
      >
        <option value="browser">
          {text.common.browserLanguage(LANGUAGES[languageFor("browser", navigator.languages)])}
        </option>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
    </span>
  );
}
