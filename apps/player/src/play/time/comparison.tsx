import type { PlaySession } from "@dreamloop/client";
import { useEffect, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import type { TimeText } from "../../text/time-text.ts";

/** The other future: its picture beside this one, under the same keys. */
export function OtherFuture(props: {
  readonly session: PlaySession;
  readonly text: TimeText;
  readonly onEnd: () => void;
}): ReactNode {
  const { session, text, onEnd } = props;
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (view.current === null) return undefined;
    session.attach(view.current);
    return () => session.detach();
  }, [session]);
  return (
    <div className="other-future">
      <div ref={view} className="other-view" role="img" aria-label={text.sides[1]} />
      <p className="future-label">
        {session.currentPrompt === undefined || session.currentPrompt === "" ? text.sides[1] : session.currentPrompt}
      </p>
      <button
        type="button"
        className="button is-icon other-end"
        aria-label={text.endCompare}
        title={text.endCompare}
        onClick={onEnd}
      >
        ✕
      </button>
    </div>
  );
}

/** Asks for what is to be different in the other future. */
export function CompareForm(props: {
  readonly prompt: string;
  readonly hasPrompt: boolean;
  readonly text: TimeText;
  readonly onStart: (prompt: string | undefined) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { hasPrompt, text, onStart, onClose } = props;
  const [prompt, setPrompt] = useState(props.prompt);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    onStart(hasPrompt && prompt !== props.prompt ? prompt : undefined);
  };
  return (
    <Dialog title={text.compareTitle} onClose={onClose}>
      <form className="compare-form" onSubmit={onSubmit}>
        <p>{text.compareLead}</p>
        {hasPrompt ? (
          <label className="field">
            <span>{text.otherPrompt}</span>
            <input value={prompt} maxLength={2000} onChange={(event) => setPrompt(event.target.value)} autoFocus />
          </label>
        ) : null}
        <button type="submit" className="button is-primary">
          {text.startCompare}
        </button>
      </form>
    </Dialog>
  );
}
