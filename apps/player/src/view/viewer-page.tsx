import { isDreamloopError, watch, type Watching } from "@dreamloop/client";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { errorText, type ErrorText } from "../parts/error-text.ts";
import { Mark } from "../parts/icons.tsx";
import { StageCard } from "../parts/stage-card.tsx";
import { useMoving } from "./use-moving.ts";

type ViewState =
  | { readonly state: "connecting" }
  | { readonly state: "watching" }
  | { readonly state: "over"; readonly title: string; readonly message: string; readonly canRetry: boolean };

const EXPIRED = {
  title: "This link has expired",
  message: "The session that it belongs to is over. Ask whoever sent it for a new one.",
  canRetry: false,
};
const FULL = {
  title: "All seats are taken",
  message: "As many people watch this session as can. Try again in a while.",
  canRetry: true,
};
const NO_WEBRTC = {
  title: "Watching needs WebRTC",
  message: "This browser has none, or keeps it from this page. Open the link in another one.",
  canRetry: false,
};

/** A viewer gets pictures and nothing else, so it cannot know why none come. */
const STILL = "Paused, or waiting for pictures";

/** What a viewer is told of an error. */
function viewerText(error: unknown): ErrorText {
  const isOver = (["not_found", "unauthorized", "closed"] as const).some((code) => isDreamloopError(error, code));
  if (isOver) return EXPIRED;
  if (isDreamloopError(error, "busy")) return FULL;
  return typeof RTCPeerConnection === "undefined" ? NO_WEBRTC : errorText(error);
}

/** Somebody else plays; here one watches. */
export function ViewerPage({ viewerToken }: { readonly viewerToken: string }): ReactNode {
  const video = useRef<HTMLVideoElement>(null);
  const [view, setView] = useState<ViewState>({ state: "connecting" });
  const [attempt, setAttempt] = useState(0);
  const isMoving = useMoving(video, view.state === "watching");
  useEffect(() => {
    const controller = new AbortController();
    let opened: Watching | undefined;
    setView({ state: "connecting" });
    watch({ viewerToken, signal: controller.signal }).then(
      (watching) => {
        opened = watching;
        if (controller.signal.aborted) {
          void watching.close();
          return;
        }
        const element = video.current;
        if (element !== null) element.srcObject = watching.stream;
        setView({ state: "watching" });
        void watching.ended.then(() => {
          if (controller.signal.aborted) return;
          setView({
            state: "over",
            title: "The show is over",
            message: "The session that you watched has ended, or the connection to it was lost.",
            canRetry: true,
          });
        });
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setView({ state: "over", ...viewerText(error) });
      },
    );
    return () => {
      controller.abort();
      void opened?.close();
    };
  }, [viewerToken, attempt]);
  return (
    <main className="stage is-viewer">
      <h1 className="visually-hidden">Watching a session</h1>
      <video ref={video} className="viewer-video" muted autoPlay playsInline aria-label="Live video of the session" />
      <p className={isMoving ? "viewer-badge" : "viewer-badge is-still"} role="status">
        <Mark /> {view.state === "watching" ? (isMoving ? "Watching live" : STILL) : "Dreamloop"}
      </p>
      {view.state === "connecting" ? (
        <div className="overlay" role="status">
          <p className="overlay-title">Connecting…</p>
        </div>
      ) : null}
      {view.state === "over" ? (
        <StageCard
          title={view.title}
          action={view.canRetry ? { label: "Try again", onAction: () => setAttempt((count) => count + 1) } : undefined}
          canLeave
        >
          <p>{view.message}</p>
        </StageCard>
      ) : null}
    </main>
  );
}
