import type { PlaySession, PlayState } from "@dreamloop/client";
import { usePlayStats } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";
import { withKeyName } from "./page-keys.ts";
import type { Recorder } from "./use-recorder.ts";

/** What the bar takes. */
export interface TopBarProps {
  /** The session. */
  readonly session: PlaySession;
  /** What it is doing. */
  readonly state: PlayState | undefined;
  /** Its recordings. */
  readonly recorder: Recorder;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** Whether the numbers are shown. */
  readonly showsStats: boolean;
  /** Names of the keys that pause. */
  readonly pauseKeys: readonly string[];
  /** Names of the keys that show the numbers. */
  readonly statsKeys: readonly string[];
  /** Shows or hides the numbers. */
  readonly onStats: () => void;
  /** Pauses or goes on. */
  readonly onPause: () => void;
  /** One step while paused. */
  readonly onStep: () => void;
  /** Opens the menu. */
  readonly onMenu: () => void;
  /** Fills the screen, or no more. */
  readonly onFullscreen: () => void;
}

const CAUSES: Readonly<Record<string, string>> = {
  model: "the model is slow",
  encode: "the encoder is slow",
  network: "the network is slow",
  decode: "this device is slow",
  input: "inputs take long",
};

/** The bar over the picture. */
export function TopBar(props: TopBarProps): ReactNode {
  const { session, state, recorder } = props;
  const isPaused = state === "paused";
  return (
    <header className="top-bar">
      <div className="top-bar-side">
        {props.canLeave ? (
          <a className="button is-icon" href="#/" aria-label="All worlds" title="All worlds">
            <Icon name="back" />
          </a>
        ) : null}
        <span className="top-bar-title">{session.world.title}</span>
        <QualityMark session={session} state={state} />
      </div>
      <div className="top-bar-side" role="toolbar" aria-label="Session">
        <button
          type="button"
          className={recorder.isRecording ? "button is-record is-on" : "button is-record"}
          onClick={recorder.toggle}
          disabled={recorder.isBusy}
          aria-pressed={recorder.isRecording}
        >
          <span className="record-dot" aria-hidden="true" />
          <span className="record-word">{recorder.isRecording ? clock(recorder.seconds) : "Record"}</span>
          {recorder.isRecording ? <span className="visually-hidden"> recording, press to stop</span> : null}
        </button>
        {isPaused ? <Tool name="step" label="One step" onClick={props.onStep} /> : null}
        <Tool
          name={isPaused ? "play" : "pause"}
          label={withKeyName(isPaused ? "Go on" : "Pause", props.pauseKeys)}
          onClick={props.onPause}
        />
        <button
          type="button"
          className="button is-icon"
          aria-label="Numbers"
          aria-pressed={props.showsStats}
          title={withKeyName("Numbers", props.statsKeys)}
          onClick={props.onStats}
        >
          <Icon name="stats" />
        </button>
        <Tool name="fullscreen" label="Full screen" onClick={props.onFullscreen} isWide />
        <Tool name="menu" label="Menu (Esc)" onClick={props.onMenu} />
      </div>
    </header>
  );
}

function Tool(props: {
  readonly name: Parameters<typeof Icon>[0]["name"];
  readonly label: string;
  readonly onClick: () => void;
  readonly isWide?: boolean;
}): ReactNode {
  const { name, label, onClick, isWide } = props;
  return (
    <button
      type="button"
      className={isWide === true ? "button is-icon on-wide" : "button is-icon"}
      aria-label={label.replace(/ \(.*\)$/, "")}
      title={label}
      onClick={onClick}
    >
      <Icon name={name} />
    </button>
  );
}

function QualityMark({
  session,
  state,
}: {
  readonly session: PlaySession;
  readonly state: PlayState | undefined;
}): ReactNode {
  const quality = usePlayStats(session)?.quality;
  if (state !== "running" || quality === undefined || quality.level === "unknown") return null;
  const words =
    quality.level === "good"
      ? "Smooth"
      : (CAUSES[quality.cause ?? ""] ?? "not smooth").replace(/^./, (it) => it.toUpperCase());
  return (
    <span className={`quality is-${quality.level}`}>
      <span className="quality-dot" aria-hidden="true" /> {words}
    </span>
  );
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
