import { Fragment, type ReactNode } from "react";
import type { Messages } from "../../text/messages.ts";
import { useText } from "../../text/text-provider.tsx";
import type { Device } from "./use-device.ts";

/** What the hints take. */
export interface KeyHintsProps {
  /** The device in hand. */
  readonly device: Device;
  /** Whether the pointer is captured, so that nothing on the page can be clicked. */
  readonly isLocked: boolean;
  /** Names of the keys that lead to the prompt; none: there is no prompt, or it is known. */
  readonly promptKeys: readonly string[];
  /** Whether to say how the menu is opened. */
  readonly showsMenu: boolean;
}

/** What a person has to know once the controls have stepped back: how to get them again. Screen readers hear it at the start. */
export function KeyHints({ device, isLocked, promptKeys, showsMenu }: KeyHintsProps): ReactNode {
  const { controls } = useText();
  const escape = [controls.keys.Esc];
  if (device === "touch") {
    return (
      <p className="key-hints" aria-hidden="true">
        {controls.tapForMore}
      </p>
    );
  }
  return (
    <p className="key-hints" aria-hidden="true">
      {promptKeys.length === 0 ? null : (
        <span>
          <Keys names={promptKeys} /> {controls.changeWorld}
        </span>
      )}
      {isLocked ? (
        <span>
          <Keys names={escape} /> {controls.freeMouse}
        </span>
      ) : showsMenu ? (
        <span>
          <Keys names={escape} /> {controls.forMenu}
        </span>
      ) : null}
    </p>
  );
}

/** Keys of which each does the same. */
export function Keys({ names }: { readonly names: readonly string[] }): ReactNode {
  const text = useText();
  return (
    <span className="key-names">
      {names.map((name, index) => (
        <Fragment key={name}>
          {index === 0 ? null : text.common.or}
          <kbd>{name}</kbd>
        </Fragment>
      ))}
    </span>
  );
}

/** The same for screen readers, in one sentence. */
export function hintSentence(promptKeys: readonly string[], { controls }: Messages): string {
  const spoken = promptKeys.map((name) => (name === "/" ? controls.slash : name));
  return spoken.length === 0 ? controls.spokenMenu : controls.spokenPromptAndMenu(spoken);
}
