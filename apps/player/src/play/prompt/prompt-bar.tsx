import type { PlaySession } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useCallback, useRef, useState, type ReactNode, type RefObject } from "react";
import { useAnnounce } from "../../parts/announcer.tsx";
import { Icon } from "../../parts/icons.tsx";
import { useText } from "../../text/text-provider.tsx";
import { Keys } from "../controls/key-hints.tsx";
import { PromptChips } from "./prompt-chips.tsx";

/** What the bar takes. */
export interface PromptBarProps {
  /** The session. */
  readonly session: PlaySession;
  /** For putting the focus into the field. */
  readonly inputRef: RefObject<HTMLInputElement | null>;
  /** Names of the keys that lead here. */
  readonly keyNames: readonly string[];
  /** Called when the field gets the focus. */
  readonly onFocus: () => void;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
}

/** The prompt, with what the world offers as chips. Only Enter, the button and a chip send it: what is being typed changes nothing. */
export function PromptBar({ session, inputRef, keyNames, onFocus, onError }: PromptBarProps): ReactNode {
  const text = useText();
  const announce = useAnnounce();
  const [typed, setTyped] = useState(session.currentPrompt ?? "");
  const [inForce, setInForce] = useState(session.currentPrompt ?? "");
  const [isSending, setSending] = useState(false);
  const isUnderWay = useRef(0);
  const field = session.world.initialFields.find(({ name }) => name === "prompt");
  const readInForce = useCallback(() => setInForce(session.currentPrompt ?? ""), [session]);
  // A prompt of which no word is known leaves the one before in force.
  usePlayEvent(session, "notice", readInForce);
  const send = (prompt: string): void => {
    if (prompt === session.currentPrompt || (prompt === "" && session.currentPrompt === undefined)) return;
    const turn = ++isUnderWay.current;
    setSending(true);
    session
      .prompt(prompt)
      .then(() => announce(prompt === "" ? text.prompt.cleared : text.prompt.sent(prompt)), onError)
      .finally(() => {
        readInForce();
        if (turn === isUnderWay.current) setSending(false);
      });
  };
  if (field === undefined) return null;
  const isUnsent = typed !== inForce && !isSending;
  return (
    <section className="prompt" aria-label={text.prompt.label}>
      <PromptChips
        world={session.world}
        prompt={typed}
        onPrompt={(prompt) => {
          setTyped(prompt);
          send(prompt);
        }}
      />
      <form
        className={isSending ? "prompt-field is-sending" : "prompt-field"}
        onSubmit={(event) => {
          event.preventDefault();
          send(typed);
          inputRef.current?.blur();
        }}
      >
        <input
          ref={inputRef}
          type="text"
          aria-label={text.prompt.label}
          placeholder={text.prompt.placeholder}
          value={typed}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="send"
          onFocus={onFocus}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            // Escape puts the prompt in force back in place of what was typed and not sent.
            if (event.key === "Escape" && !event.nativeEvent.isComposing) setTyped(session.currentPrompt ?? "");
          }}
        />
        {isUnsent ? <span className="prompt-unsent">{text.prompt.notSent}</span> : null}
        <span className="prompt-key" aria-hidden="true">
          <Keys names={keyNames} />
        </span>
        <button type="submit" className="button is-icon" aria-label={text.prompt.send}>
          <Icon name="send" />
        </button>
      </form>
    </section>
  );
}
