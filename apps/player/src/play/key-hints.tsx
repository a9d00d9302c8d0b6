import type { ReactNode } from "react";
import type { Device } from "./use-device.ts";

/** What the hints take. */
export interface KeyHintsProps {
  /** The device in hand. */
  readonly device: Device;
  /** Whether the pointer is captured, so that nothing of the page can be clicked. */
  readonly isLocked: boolean;
  /** Names of the keys that lead to the prompt; none: there is no prompt, or it is known. */
  readonly promptKeys: readonly string[];
  /** Whether to tell how the menu is opened. */
  readonly showsMenu: boolean;
}

/** What a person has to know once the controls have stepped back: how to get them again. Screen readers hear it at the start. */
export function KeyHints({ device, isLocked, promptKeys, showsMenu }: KeyHintsProps): ReactNode {
  if (device === "touch") {
    return (
      <p className="key-hints" aria-hidden="true">
        Tap the picture for the prompt and the menu
      </p>
    );
  }
  return (
    <p className="key-hints" aria-hidden="true">
      {promptKeys.length === 0 ? null : (
        <span>
          <Keys names={promptKeys} /> to change the world in words
        </span>
      )}
      {isLocked ? (
        <span>
          <Keys names={["Esc"]} /> to free the mouse and open the menu
        </span>
      ) : showsMenu ? (
        <span>
          <Keys names={["Esc"]} /> for the menu
        </span>
      ) : null}
    </p>
  );
}

/** Keys of which each does the same. */
export function Keys({ names }: { readonly names: readonly string[] }): ReactNode {
  return names.map((name, index) => (
    <span key={name} className="key-name">
      {index === 0 ? null : " or "}
      <kbd>{name}</kbd>
    </span>
  ));
}

/** The same for screen readers, in one sentence. */
export function hintSentence(promptKeys: readonly string[]): string {
  const spoken = promptKeys.map((name) => (name === "/" ? "Slash" : name)).join(" or ");
  return spoken === "" ? "Escape opens the menu." : `${spoken} opens the prompt, Escape the menu.`;
}
