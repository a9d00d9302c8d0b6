import { isDreamloopError, watch, type Watching } from "@dreamloop/client";
import { useEffect, useRef, useState, type ReactNode } from "react";
import { serverUrl } from "../address/server-url.ts";
import { Mark } from "../parts/icons.tsx";
import { RetryCountdown } from "../parts/retry-countdown.tsx";
import { StageCard } from "../parts/stage-card.tsx";
import { usePageTitle } from "../parts/use-page-title.ts";
import { errorText, type ErrorText } from "../text/error-text.ts";
import type { Messages } from "../text/messages.ts";
import { useText } from "../text/text-provider.tsx";
import { useMoving } from "./use-moving.ts";

type ViewState =
  | { readonly state: "connecting" }
  | { readonly state: "watching" }
  /** The browser wants a touch before it plays video. */
  | { readonly state: "refused" }
  | { readonly state: "over"; readonly error: unknown };

/** The end of a session that was watched, which is no fault. */
const ENDED = Symbol("the session has ended");

/** What a viewer reads about an error. */
function viewerText(error: unknown, text: Messages): ErrorText {
  const { viewer } = text;
  if (error === ENDED) return { title: viewer.overTitle, message: viewer.overText, retry: "by_hand" };
  const isOver = (["not_found", "unauthorized", "closed"] as const).some((code) => isDreamloopError(error, code));
  if (isOver) return { title: viewer.expiredTitle, message: viewer.expiredText, retry: "none" };
  const told = errorText(error, text);
  if (isDreamloopError(error, "busy")) return { ...told, title: viewer.fullTitle, message: viewer.fullText };
  if (typeof RTCPeerConnection === "undefined") {
    return { title: viewer.noWebRtcTitle, message: viewer.noWebRtcText, retry: "none" };
  }
  return told;
}

/** Somebody else plays; here one watches. */
export function ViewerPage({ viewerToken }: { readonly viewerToken: string }): ReactNode {
  const text = useText();
  const video = useRef<HTMLVideoElement>(null);
  const tries = useRef(0);
  const [view, setView] = useState<ViewState>({ state: "connecting" });
  const [attempt, setAttempt] = useState(0);
  const isMoving = useMoving(video, view.state === "watching");
  usePageTitle(text.common.titleOfViewer);
  useEffect(() => {
    const controller = new AbortController();
    let opened: Watching | undefined;
    setView({ state: "connecting" });
    watch({ url: serverUrl(window.location), viewerToken, signal: controller.signal }).then(
      (watching) => {
        opened = watching;
        if (controller.signal.aborted) {
          void watching.close();
          return;
        }
        tries.current = 0;
        setView({ state: "watching" });
        const element = video.current;
        if (element !== null) {
          element.srcObject = watching.stream;
          element.play().catch((reason: unknown) => {
            const isRefused = reason instanceof DOMException && reason.name === "NotAllowedError";
            if (isRefused && !controller.signal.aborted) setView({ state: "refused" });
          });
        }
        void watching.ended.then(() => {
          if (!controller.signal.aborted) setView({ state: "over", error: ENDED });
        });
      },
      (error: unknown) => {
        tries.current += 1;
        if (!controller.signal.aborted) setView({ state: "over", error });
      },
    );
    return () => {
      controller.abort();
      void opened?.close();
    };
  }, [viewerToken, attempt]);
  const retry = (): void => setAttempt((count) => count + 1);
  const start = (): void => {
    void video.current?.play().then(
      () => setView({ state: "watching" }),
      () => undefined,
    );
  };
  const badge = isMoving ? text.viewer.live : text.viewer.still;
  return (
    <main className="stage is-viewer">
      <h1 className="visually-hidden">{text.viewer.heading}</h1>
      <video ref={video} className="viewer-video" muted autoPlay playsInline aria-label={text.viewer.video} />
      <p className={isMoving ? "viewer-badge" : "viewer-badge is-still"} role="status">
        <Mark /> {view.state === "watching" ? badge : text.common.appName}
      </p>
      {view.state === "connecting" ? (
        <div className="overlay" role="status">
          <p className="overlay-title">{text.play.connecting}</p>
        </div>
      ) : null}
      {view.state === "refused" ? (
        <StageCard
          title={text.play.autoplayTitle}
          action={{ label: text.play.autoplayStart, onAction: start }}
          canLeave={false}
        >
          <p>{text.play.autoplayText}</p>
        </StageCard>
      ) : null}
      {view.state === "over" ? (
        <ViewerFault {...viewerText(view.error, text)} tries={Math.max(0, tries.current - 1)} onRetry={retry} />
      ) : null}
    </main>
  );
}

function ViewerFault(props: ErrorText & { readonly tries: number; readonly onRetry: () => void }): ReactNode {
  const { title, message, details, detailsOpen, retry, retryAfterSeconds, tries, onRetry } = props;
  const text = useText();
  const label = retry === "by_itself" ? text.common.tryNow : text.common.tryAgain;
  return (
    <StageCard
      title={title}
      action={retry === "none" ? undefined : { label, onAction: onRetry }}
      canLeave
      details={details}
      detailsOpen={detailsOpen}
    >
      <p>{message}</p>
      {retry === "by_itself" ? (
        <RetryCountdown
          key={tries}
          tries={tries}
          onRetry={onRetry}
          {...(retryAfterSeconds === undefined ? {} : { askedSeconds: retryAfterSeconds })}
        />
      ) : null}
    </StageCard>
  );
}
