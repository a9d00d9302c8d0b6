import { useEffect, useRef, type ReactNode } from "react";
import { useAnnounce } from "../parts/announcer.tsx";
import { Icon, Mark } from "../parts/icons.tsx";
import { LanguageSwitch } from "../parts/language-switch.tsx";
import { RetryCountdown } from "../parts/retry-countdown.tsx";
import { usePageTitle } from "../parts/use-page-title.ts";
import { usePreferences } from "../preferences/preferences.tsx";
import { errorText } from "../text/error-text.ts";
import { useText } from "../text/text-provider.tsx";
import { inOrder } from "./instrument-worlds.ts";
import { usesMotion } from "./poster.tsx";
import { useServerRoom } from "./use-server-room.ts";
import type { Worlds } from "./use-worlds.ts";
import { WorldCard } from "./world-card.tsx";

/** All worlds of the server. */
export function Gallery({ worlds }: { readonly worlds: Worlds }): ReactNode {
  const text = useText();
  usePageTitle(text.common.appName);
  return (
    <div className="gallery">
      <header className="gallery-head">
        <div className="gallery-bar">
          <p className="brand">
            <Mark /> {text.common.appName}
          </p>
          <LanguageSwitch />
        </div>
        <h1>{text.gallery.heading}</h1>
        <p className="lead">{text.gallery.lead}</p>
      </header>
      <main className="gallery-worlds">
        <WorldList worlds={worlds} />
      </main>
    </div>
  );
}

function WorldList({ worlds }: { readonly worlds: Worlds }): ReactNode {
  const text = useText();
  switch (worlds.state) {
    case "loading":
      return <Skeleton />;
    case "failed":
      return <WorldsFault error={worlds.error} tries={worlds.tries} onRetry={worlds.retry} />;
    case "ready":
      break;
  }
  if (worlds.worlds.length === 0) {
    return (
      <section className="notice-panel">
        <h2>{text.gallery.noWorldsTitle}</h2>
        <p>{text.gallery.noWorldsText}</p>
      </section>
    );
  }
  const hasPreviews = worlds.worlds.some(({ posterPath }) => posterPath !== undefined);
  return (
    <>
      <ServerRoom />
      <ul className="cards">
        {inOrder(worlds.worlds).map((world) => (
          <WorldCard key={world.id} world={world} />
        ))}
      </ul>
      {hasPreviews && usesMotion() ? <PreviewSwitch /> : null}
    </>
  );
}

/** The shape of what is about to appear. */
function Skeleton(): ReactNode {
  const text = useText();
  return (
    <div className="cards" role="status" aria-busy="true">
      <span className="visually-hidden">{text.gallery.loading}</span>
      {[0, 1].map((index) => (
        <div key={index} className="card is-skeleton" aria-hidden="true">
          <div className="bone is-picture" />
          <div className="bone is-title" />
          <div className="bone is-line" />
          <div className="bone is-line is-short" />
          <div className="bone is-button" />
        </div>
      ))}
    </div>
  );
}

function WorldsFault(props: {
  readonly error: unknown;
  readonly tries: number;
  readonly onRetry: () => void;
}): ReactNode {
  const text = useText();
  const { title, message, retry, retryAfterSeconds } = errorText(props.error, text);
  return (
    <section className="notice-panel" role="alert">
      <h2>{title}</h2>
      <p>{message}</p>
      {retry === "by_itself" ? (
        <RetryCountdown
          key={props.tries}
          tries={props.tries}
          onRetry={props.onRetry}
          {...(retryAfterSeconds === undefined ? {} : { askedSeconds: retryAfterSeconds })}
        />
      ) : null}
      {retry === "none" ? null : (
        <button type="button" className="button is-primary" onClick={props.onRetry}>
          {retry === "by_itself" ? text.common.tryNow : text.common.tryAgain}
        </button>
      )}
    </section>
  );
}

/** Says when nobody else can play, and when somebody can again. */
function ServerRoom(): ReactNode {
  const text = useText();
  const announce = useAnnounce();
  const room = useServerRoom();
  const wasFull = useRef(false);
  useEffect(() => {
    if (room === "full") announce(`${text.gallery.fullTitle}. ${text.gallery.fullText}`);
    else if (room === "free" && wasFull.current) announce(text.gallery.freeAgain);
    wasFull.current = room === "full";
  }, [room, announce, text]);
  return room === "full" ? (
    <section className="gallery-full">
      <strong>{text.gallery.fullTitle}</strong> {text.gallery.fullText}
    </section>
  ) : null;
}

/** Lets the previews stand still, as whatever moves by itself has to be stopped somehow. */
function PreviewSwitch(): ReactNode {
  const text = useText();
  const [{ holdsPreviews }, changePreferences] = usePreferences();
  return (
    <button
      type="button"
      className="button is-quiet preview-switch"
      onClick={() => changePreferences({ holdsPreviews: !holdsPreviews })}
    >
      <Icon name={holdsPreviews ? "play" : "pause"} />
      {holdsPreviews ? text.gallery.runPreviews : text.gallery.holdPreviews}
    </button>
  );
}
