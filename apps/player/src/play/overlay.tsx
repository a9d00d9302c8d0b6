import type { PictureState, PlaySession, PlayState } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useState, type ReactNode } from "react";
import { errorText } from "../parts/error-text.ts";
import { Mark } from "../parts/icons.tsx";
import { StageCard } from "../parts/stage-card.tsx";

/** What the overlay takes. */
export interface OverlayProps {
  /** The session, once there is one. */
  readonly session: PlaySession | undefined;
  /** What it is doing. */
  readonly state: PlayState | undefined;
  /** Why there is none. */
  readonly error: unknown;
  /** Names of the keys that end a pause; none on a touch screen. */
  readonly pauseKeys: readonly string[];
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** Connects anew. */
  readonly onRetry: () => void;
  /** Ends a pause. */
  readonly onResume: () => void;
}

/** What lies over the picture while something is under way. */
export function Waiting({ title, children }: { readonly title: string; readonly children?: ReactNode }): ReactNode {
  return (
    <div className="overlay is-loading">
      <span className="loop" aria-hidden="true">
        <Mark />
      </span>
      <p className="overlay-title">{title}</p>
      {children}
    </div>
  );
}

/** What lies over the picture while there is nothing to play: connecting, loading, lost, over. */
export function Overlay({ session, state, error, pauseKeys, canLeave, onRetry, onResume }: OverlayProps): ReactNode {
  const [fraction, setFraction] = useState<number | undefined>();
  const [hasPicture, setHasPicture] = useState(false);
  usePlayEvent(session, "server", ({ loadFraction }) => setFraction(loadFraction));
  usePlayEvent(session, "frame", () => setHasPicture(true));
  const [picture, setPicture] = useState<PictureState>("waiting");
  usePlayEvent(session, "picture", setPicture);
  if (error !== undefined) {
    const { title, message, details, canRetry } = errorText(error);
    const action = canRetry ? { label: "Try again", onAction: onRetry } : undefined;
    return (
      <StageCard title={title} isError action={action} canLeave={canLeave}>
        <p>{message}</p>
        {details === undefined ? null : (
          <details className="overlay-details">
            <summary>Details</summary>
            <p>{details}</p>
          </details>
        )}
      </StageCard>
    );
  }
  // The button that plays the picture is the client's own, and lies in the stage.
  if (picture === "needs_gesture" && state === "running") return null;
  if (picture === "failed" && state === "running") {
    return (
      <StageCard title="This browser cannot show the picture" isError action={undefined} canLeave={canLeave}>
        <p>
          The world runs, and no video format that the server has works here. Try another browser, or update this one.
        </p>
      </StageCard>
    );
  }
  if (session === undefined || state === "loading" || (state === "running" && !hasPicture)) {
    const late = picture === "late" ? "The world takes long for its first picture" : "Almost there";
    const words = session === undefined ? "Connecting" : state === "loading" ? "Waking the world" : late;
    return (
      <Waiting title={words}>
        {state === "loading" && fraction !== undefined ? (
          <progress className="progress" max={1} value={fraction} aria-label="Loading" />
        ) : null}
      </Waiting>
    );
  }
  if (state === "reconnecting") {
    return (
      <Waiting title="Reconnecting">
        <p>The connection was lost. Everything is released; the session waits for you.</p>
      </Waiting>
    );
  }
  if (state === "completed") {
    return (
      <div className="overlay">
        <p className="overlay-title">The run is complete</p>
        <button type="button" className="button is-primary" onClick={() => void session.reset()}>
          Play again
        </button>
      </div>
    );
  }
  if (state === "paused") {
    return (
      <button type="button" className="paused-badge" onClick={onResume}>
        Paused <span>{pauseKeys[0] === undefined ? "Tap to go on" : `Click or press ${pauseKeys[0]} to go on`}</span>
      </button>
    );
  }
  return null;
}
