import type { PlaySession } from "@dreamloop/client";
import { useCallback, useEffect, useRef, useState, type ReactNode, type RefObject } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { Icon } from "../parts/icons.tsx";
import { Keys } from "./key-hints.tsx";
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

/** A pause in typing after which the prompt is sent, in milliseconds. */
const TYPING_MILLISECONDS = 1200;

/** The prompt, with what the world offers as chips; what is typed takes effect after a short pause. */
export function PromptBar({ session, inputRef, keyNames, onFocus, onError }: PromptBarProps): ReactNode {
  const announce = useAnnounce();
  const [text, setText] = useState(session.currentPrompt ?? "");
  const [isSending, setSending] = useState(false);
  const sent = useRef(session.currentPrompt ?? "");
  const field = session.world.initialFields.find(({ name }) => name === "prompt");
  const send = useCallback(
    (prompt: string) => {
      if (prompt === sent.current) return;
      sent.current = prompt;
      setSending(true);
      session
        .prompt(prompt)
        .then(
          () => announce(prompt === "" ? "Prompt cleared." : `Prompt: ${prompt}.`),
          (error: unknown) => {
            // What was refused is not in force, so that the same words may be tried again.
            sent.current = session.currentPrompt ?? "";
            onError(error);
          },
        )
        .finally(() => setSending(false));
    },
    [session, announce, onError],
  );
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => send(text), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text, send]);
  /** Puts the prompt in force back in place of what was typed and not sent. */
  const restore = (): void => {
    if (!isSending) sent.current = session.currentPrompt ?? "";
    setText(sent.current);
  };
  if (field === undefined) return null;
  return (
    <section className="prompt" aria-label="Prompt">
      <PromptChips
        world={session.world}
        prompt={text}
        onPrompt={(prompt) => {
          setText(prompt);
          send(prompt);
        }}
      />
      <form
        className={isSending ? "prompt-field is-sending" : "prompt-field"}
        onSubmit={(event) => {
          event.preventDefault();
          send(text);
          inputRef.current?.blur();
        }}
      >
        <input
          ref={inputRef}
          type="text"
          aria-label="Prompt"
          placeholder="Describe what you want to see"
          value={text}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="send"
          onFocus={onFocus}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape" && !event.nativeEvent.isComposing) restore();
          }}
        />
        <span className="prompt-key" aria-hidden="true">
          <Keys names={keyNames} />
        </span>
        <button type="submit" className="button is-icon" aria-label="Send the prompt">
          <Icon name="send" />
        </button>
      </form>
    </section>
  );
}
