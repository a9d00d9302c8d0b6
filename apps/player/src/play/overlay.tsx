import { PICTURE_STATES, type PictureState, type PlaySession, type PlayState } from "@dreamloop/client";
import { usePlayEvent } from "@dreamloop/client/react";
import { useCallback, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { Mark } from "../parts/icons.tsx";
import { RetryCountdown } from "../parts/retry-countdown.tsx";
import { StageCard } from "../parts/stage-card.tsx";
import { errorText } from "../text/error-text.ts";
import { useText } from "../text/text-provider.tsx";

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
  /** Whether fingers are in use. */
  readonly isTouch: boolean;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** Connects anew. */
  readonly onRetry: () => void;
  /** Ends a pause. */
  readonly onResume: () => void;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
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
export function Overlay(props: OverlayProps): ReactNode {
  const { session, state, pauseKeys, canLeave, onRetry, onResume } = props;
  const text = useText();
  const [fraction, setFraction] = useState<number | undefined>();
  const picture = usePicture(session);
  usePlayEvent(session, "server", ({ loadFraction }) => setFraction(loadFraction));
  const fault = useFault(props);
  if (fault !== undefined) return <Fault {...props} {...fault} />;
  if (session === undefined) return <Waiting title={text.play.connecting} />;
  switch (state) {
    case "loading":
      return (
        <Waiting title={text.play.loading}>
          {fraction === undefined ? null : (
            <progress className="progress" max={1} value={fraction} aria-label={text.play.loadingProgress} />
          )}
        </Waiting>
      );
    case "reconnecting":
      return (
        <Waiting title={text.play.reconnecting}>
          <p>{text.play.reconnectingText}</p>
        </Waiting>
      );
    case "completed":
      return (
        <StageCard
          title={text.play.completed}
          action={{ label: text.play.playAgain, onAction: () => void session.reset().catch(props.onError) }}
          canLeave={canLeave}
        />
      );
    case "paused":
      return (
        <button type="button" className="paused-badge" onClick={onResume}>
          {text.play.paused}{" "}
          <span>
            {props.isTouch
              ? text.play.tapToContinue
              : pauseKeys[0] === undefined
                ? text.play.clickToContinue
                : text.play.clickOrPress(pauseKeys[0])}
          </span>
        </button>
      );
    case "running":
      break;
    default:
      return null;
  }
  switch (picture) {
    case PICTURE_STATES.shown:
      return null;
    case PICTURE_STATES.waiting:
      return <Waiting title={text.play.firstPicture} />;
    case PICTURE_STATES.needsGesture:
      return <AutoplayRefused session={session} onError={props.onError} />;
    case PICTURE_STATES.late:
    case PICTURE_STATES.failed:
      return (
        <StageCard
          title={text.play.noPictureTitle}
          isError
          action={{ label: text.common.tryAgain, onAction: onRetry }}
          canLeave={canLeave}
          details={[session.transport, session.stats?.codec].filter((fact) => fact !== undefined).join(", ")}
        >
          <p>{text.play.noPictureText}</p>
        </StageCard>
      );
  }
}

/** Some browsers, such as those of phones that save power, play no video before a touch. */
function AutoplayRefused(props: {
  readonly session: PlaySession;
  readonly onError: (error: unknown) => void;
}): ReactNode {
  const { play } = useText();
  const start = (): void => void props.session.showPicture().catch(props.onError);
  return (
    <div className="overlay" role="status">
      <p className="overlay-title">{play.autoplayTitle}</p>
      <p>{play.autoplayText}</p>
      <div className="overlay-actions">
        <button type="button" className="button is-primary" autoFocus onClick={start}>
          {play.autoplayStart}
        </button>
      </div>
    </div>
  );
}

/** Where the picture of a session is. */
function usePicture(session: PlaySession | undefined): PictureState {
  const subscribe = useCallback(
    (onChange: () => void) => session?.on("picture", onChange) ?? (() => undefined),
    [session],
  );
  return useSyncExternalStore(subscribe, () => session?.picture ?? PICTURE_STATES.waiting);
}

interface ShownFault {
  /** What went wrong last. */
  readonly error: unknown;
  /** Tries in a row that failed. */
  readonly tries: number;
  /** Whether the next one is under way. */
  readonly isUnderWay: boolean;
}

/** What to show of a fault: it stays while the next try is under way, so that nothing flickers. */
function useFault({ session, error }: OverlayProps): ShownFault | undefined {
  const last = useRef<{ readonly error: unknown; readonly tries: number } | undefined>(undefined);
  if (session !== undefined) last.current = undefined;
  else if (error !== undefined && last.current?.error !== error) {
    last.current = { error, tries: (last.current?.tries ?? 0) + 1 };
  }
  return last.current === undefined ? undefined : { ...last.current, isUnderWay: error === undefined };
}

/** Why there is no session. What passes by itself, such as a full server, is tried again by itself. */
function Fault({ error, tries, isUnderWay, canLeave, onRetry }: OverlayProps & ShownFault): ReactNode {
  const text = useText();
  const { title, message, details, detailsOpen, retry, retryAfterSeconds } = errorText(error, text);
  if (isUnderWay && retry !== "by_itself") return <Waiting title={text.play.connecting} />;
  const label = retry === "by_itself" ? text.common.tryNow : text.common.tryAgain;
  return (
    <StageCard
      title={title}
      isError={retry !== "by_itself"}
      action={retry === "none" ? undefined : { label, onAction: onRetry }}
      canLeave={canLeave}
      details={details}
      detailsOpen={detailsOpen}
    >
      <p>{message}</p>
      {retry !== "by_itself" ? null : isUnderWay ? (
        <p className="retry-countdown">{text.faults.retrying}</p>
      ) : (
        <RetryCountdown
          key={tries}
          tries={tries - 1}
          onRetry={onRetry}
          {...(retryAfterSeconds === undefined ? {} : { askedSeconds: retryAfterSeconds })}
        />
      )}
    </StageCard>
  );
}
