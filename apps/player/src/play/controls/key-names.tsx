import { codeLabel, type CodeLabelOptions, type KeyLabels } from "@dreamloop/client";
import { useKeyLabels } from "@dreamloop/client/react";
import { createContext, useCallback, useContext, type ReactNode } from "react";
import { lookUp, type Messages } from "../../text/messages.ts";
import { useText } from "../../text/text-provider.tsx";

/** Names a key, a mouse button or a part of a gamepad. */
export type KeyNamer = (code: string, options?: Omit<CodeLabelOptions, "labels">) => string;

/** A namer with the words of a catalogue and the letters of a keyboard. */
export function keyNamer(text: Messages, labels: KeyLabels = new Map()): KeyNamer {
  return (code, options) => {
    const label = codeLabel(code, { ...options, keyLabels: labels });
    return lookUp(text.controls.keys, label) ?? label;
  };
}

const LabelsContext = createContext<KeyLabels>(new Map());

/** Learns the letters of the person's own keyboard for everything inside. */
export function KeyNames({ children }: { readonly children: ReactNode }): ReactNode {
  const labels = useKeyLabels();
  return <LabelsContext.Provider value={labels}>{children}</LabelsContext.Provider>;
}

/** What a key is called: in the person's language, with the letter that is printed on it. */
export function useKeyName(): KeyNamer {
  const text = useText();
  const labels = useContext(LabelsContext);
  return useCallback<KeyNamer>((code, options) => keyNamer(text, labels)(code, options), [text, labels]);
}
