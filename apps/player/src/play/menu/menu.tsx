import type { ControlLayout, PlaySession, Recording } from "@dreamloop/client";
import { useState, type ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import type { Preferences } from "../../preferences/preferences.ts";
import type { Remap } from "../../preferences/remap.ts";
import { StartPicturePart } from "../../picture/start-picture-part.tsx";
import { FeatureList } from "./feature-list.tsx";
import { KeyList } from "./key-list.tsx";
import { RecordingList } from "./recording-list.tsx";
import { ResetForm } from "./reset-form.tsx";
import { ShareLink } from "./share-link.tsx";

/** What the menu takes. */
export interface MenuProps {
  /** The session. */
  readonly session: PlaySession;
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** Finished recordings. */
  readonly recordings: readonly Recording[];
  /** What is remembered. */
  readonly preferences: Preferences;
  /** Changes what is remembered. */
  readonly onPreferences: (change: Partial<Preferences>) => void;
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Other keys. */
  readonly onRemap: (remap: Remap) => void;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
  /** Says something. */
  readonly onToast: (message: string) => void;
  /** Closes the menu. */
  readonly onClose: () => void;
}

const TABS = ["Session", "Controls", "Recordings", "About"] as const;

/** The menu; while it is open, the world stands still and nothing is held. */
export function Menu(props: MenuProps): ReactNode {
  const [tab, setTab] = useState<(typeof TABS)[number]>("Session");
  return (
    <Dialog title="Menu" className="menu" onClose={props.onClose}>
      <nav className="tabs" aria-label="Parts of the menu">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={name === tab ? "page" : undefined}
            className="tab"
            onClick={() => setTab(name)}
          >
            {name}
          </button>
        ))}
      </nav>
      <div className="tab-content" tabIndex={0} role="region" aria-label={tab}>
        {tab === "Session" ? <SessionTab {...props} /> : null}
        {tab === "Controls" ? <KeyList layout={props.layout} remap={props.remap} onRemap={props.onRemap} /> : null}
        {tab === "Recordings" ? <RecordingList recordings={props.recordings} /> : null}
        {tab === "About" ? <About session={props.session} /> : null}
      </div>
      <footer className="menu-foot">
        {props.canLeave ? (
          <a className="button" href="#/">
            Leave
          </a>
        ) : null}
        <button type="button" className="button is-primary" data-focus-first onClick={props.onClose}>
          Play on
        </button>
      </footer>
    </Dialog>
  );
}

function SessionTab(props: MenuProps): ReactNode {
  const { session, preferences, onPreferences, onError, onToast } = props;
  return (
    <>
      <ResetForm session={session} onError={onError} onDone={props.onClose} />
      <StartPicturePart world={session.world} />
      <ShareLink viewerToken={session.viewerToken} onToast={onToast} />
      <section className="menu-part">
        <h3>On screen</h3>
        <label className="switch">
          <input
            type="checkbox"
            checked={preferences.showsLegend}
            onChange={(event) => onPreferences({ showsLegend: event.target.checked })}
          />
          Legend of the controls
        </label>
        <label className="switch">
          <input
            type="checkbox"
            checked={preferences.showsStats}
            onChange={(event) => onPreferences({ showsStats: event.target.checked })}
          />
          Numbers
        </label>
      </section>
    </>
  );
}

function About({ session }: { readonly session: PlaySession }): ReactNode {
  const { world } = session;
  return (
    <>
      <p>{world.description}</p>
      {world.modelCard === undefined ? null : <Markdown text={world.modelCard} />}
      <FeatureList />
    </>
  );
}
