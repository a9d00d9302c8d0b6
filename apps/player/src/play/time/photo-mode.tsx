import type { PlaySession } from "@dreamloop/client";
import { useCallback, useEffect, useRef, type ReactNode } from "react";
import { Icon } from "../../parts/icons.tsx";
import { fileName, pictureOf, saveFile } from "./save-file.ts";
import type { TimeText } from "../../text/time-text.ts";

/** What photo mode takes. */
export interface PhotoModeProps {
  /** The session, which stands still meanwhile. */
  readonly session: PlaySession;
  /** What it says. */
  readonly text: TimeText;
  /** Says what happened. */
  readonly onNews: (message: string) => void;
  /** Hears of refusals. */
  readonly onError: (reason: unknown) => void;
  /** Ends it. */
  readonly onEnd: () => void;
}

/** Nothing but the picture, and a way to keep it. */
export function PhotoMode({ session, text, onNews, onError, onEnd }: PhotoModeProps): ReactNode {
  const resumes = useRef(false);
  useEffect(() => {
    resumes.current = session.state === "running";
    if (resumes.current) session.pause().catch(onError);
    return () => {
      if (resumes.current) session.resume().catch(onError);
    };
  }, [session, onError]);
  const take = useCallback(() => {
    const element = session.pictureElement;
    if (element === undefined) return;
    pictureOf(element)
      .then((picture) => {
        saveFile(picture, fileName(session.world.id, "png"));
        onNews(text.tookPhoto);
      })
      .catch(onError);
  }, [session, text, onNews, onError]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.code === "Escape") onEnd();
      else if (event.code === "KeyS") take();
      else return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    // Before the world, which may use these keys, and before the page, whose Escape opens the menu.
    window.addEventListener("keydown", onKey, { capture: true });
    return () => window.removeEventListener("keydown", onKey, { capture: true });
  }, [take, onEnd]);
  return (
    <div className="photo-mode">
      <p className="photo-hint">{text.photoHint}</p>
      <button type="button" className="button is-primary" onClick={take}>
        <Icon name="camera" /> {text.takePhoto}
      </button>
      <button type="button" className="button is-icon" aria-label={text.endPhoto} title={text.endPhoto} onClick={onEnd}>
        <Icon name="close" />
      </button>
    </div>
  );
}
