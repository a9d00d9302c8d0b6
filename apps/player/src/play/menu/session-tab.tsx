import type { PlaySession, WorldSummary } from "@dreamloop/client";
import { useState, type ReactNode } from "react";
import { viewerUrl } from "../../address/route.ts";
import { isThisComputer } from "../../address/server-url.ts";
import { Icon } from "../../parts/icons.tsx";
import { LanguageSwitch } from "../../parts/language-switch.tsx";
import { PictureField } from "../../picture/picture-field.tsx";
import { usePreferences } from "../../preferences/preferences.tsx";
import { useText } from "../../text/text-provider.tsx";

/** What the part takes. */
export interface SessionTabProps {
  /** The session. */
  readonly session: PlaySession;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
  /** Says something. */
  readonly onToast: (message: string) => void;
  /** Called when the world has started again. */
  readonly onDone: () => void;
}

/** Starting again, inviting others, and what is on the screen. */
export function SessionTab({ session, onError, onToast, onDone }: SessionTabProps): ReactNode {
  return (
    <>
      <ResetForm session={session} onError={onError} onDone={onDone} />
      <StartPicture world={session.world} />
      <ShareLink viewerToken={session.viewerToken} onToast={onToast} />
      <Display />
    </>
  );
}

/** Starts the world again: with the same seed, another one, or one that is typed. */
function ResetForm({ session, onError, onDone }: Omit<SessionTabProps, "onToast">): ReactNode {
  const { menu } = useText();
  const [seed, setSeed] = useState(String(session.seed ?? 0));
  const value = /^\d{1,15}$/.test(seed.trim()) ? Number(seed) : undefined;
  const reset = (chosen: number): void => void session.reset({ seed: chosen }).then(onDone, onError);
  return (
    <section className="menu-part">
      <h3>{menu.startAgain}</h3>
      <form
        className="reset-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (value !== undefined) reset(value);
        }}
      >
        <label className="field">
          <span>{menu.seed}</span>
          <input
            inputMode="numeric"
            value={seed}
            aria-invalid={value === undefined}
            aria-describedby={value === undefined ? "seed-fault" : undefined}
            onChange={(event) => setSeed(event.target.value)}
          />
        </label>
        <button type="submit" className="button" disabled={value === undefined}>
          <Icon name="reset" /> {menu.reset}
        </button>
        <button type="button" className="button" onClick={() => reset(Math.floor(Math.random() * 1e9))}>
          {menu.newSeed}
        </button>
      </form>
      {value === undefined ? (
        <p id="seed-fault" className="field-fault">
          {menu.seedFault}
        </p>
      ) : (
        <p className="hint">{menu.seedHint}</p>
      )}
    </section>
  );
}

/** Starts a world that takes a picture from another one; a new session takes the place of this one. */
function StartPicture({ world }: { readonly world: WorldSummary }): ReactNode {
  const { picture } = useText();
  const size = world.initialFields.find(({ image }) => image !== undefined)?.image;
  if (size === undefined) return null;
  return (
    <section className="menu-part">
      <h3>{picture.menuTitle}</h3>
      <PictureField world={world} />
      <p className="hint">{picture.menuHint(size.width, size.height)}</p>
    </section>
  );
}

/** The link under which others watch. */
function ShareLink(props: { readonly viewerToken: string; readonly onToast: (message: string) => void }): ReactNode {
  const { menu } = useText();
  const url = viewerUrl(props.viewerToken, window.location);
  const copy = (): void => {
    const { clipboard } = navigator as { readonly clipboard?: Clipboard };
    if (clipboard === undefined) {
      props.onToast(menu.clipboardMissing);
      return;
    }
    clipboard.writeText(url).then(
      () => props.onToast(menu.copied),
      () => props.onToast(menu.clipboardRefused),
    );
  };
  return (
    <section className="menu-part">
      <h3>{menu.share}</h3>
      <div className="share">
        <input readOnly value={url} aria-label={menu.shareLink} onFocus={(event) => event.target.select()} />
        <button type="button" className="button" onClick={copy}>
          <Icon name="share" /> {menu.copy}
        </button>
      </div>
      <p className="hint">{menu.shareHint}</p>
      {isThisComputer(window.location.hostname) ? <p className="hint is-warning">{menu.shareHereOnly}</p> : null}
    </section>
  );
}

/** What is on the screen, and in which language. */
function Display(): ReactNode {
  const { menu } = useText();
  const [preferences, changePreferences] = usePreferences();
  return (
    <section className="menu-part">
      <h3>{menu.display}</h3>
      <label className="switch">
        <input
          type="checkbox"
          checked={preferences.showsLegend}
          onChange={(event) => changePreferences({ showsLegend: event.target.checked })}
        />
        {menu.showLegend}
      </label>
      <label className="switch">
        <input
          type="checkbox"
          checked={preferences.showsStats}
          onChange={(event) => changePreferences({ showsStats: event.target.checked })}
        />
        {menu.showNumbers}
      </label>
      <LanguageSwitch />
    </section>
  );
}
