import type { PlaySession, PlayState } from "@dreamloop/client";
import { usePlayStats } from "@dreamloop/client/react";
import type { ReactNode } from "react";
import { Icon } from "../parts/icons.tsx";
import type { Messages } from "../text/messages.ts";
import { useText } from "../text/text-provider.tsx";
import { clockTime } from "../text/wording.ts";
import { withKeyName } from "./controls/page-keys.ts";
import { speedOf } from "./numbers/frame-rates.ts";
import { useFrameRates } from "./numbers/use-frame-rates.ts";
import type { Recorder } from "./recording/use-recorder.ts";

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
  /** Pauses or continues. */
  readonly onPause: () => void;
  /** One step while paused. */
  readonly onStep: () => void;
  /** Opens the menu. */
  readonly onMenu: () => void;
  /** Fills the screen, or no more. */
  readonly onFullscreen: () => void;
}

/** The bar over the picture. */
export function TopBar(props: TopBarProps): ReactNode {
  const { session, state, recorder } = props;
  const text = useText();
  const isPaused = state === "paused";
  return (
    <header className="top-bar">
      <div className="top-bar-side">
        {props.canLeave ? (
          <a className="button is-icon" href="#/" aria-label={text.common.allWorlds} title={text.common.allWorlds}>
            <Icon name="back" />
          </a>
        ) : null}
        <span className="top-bar-title">{session.world.title}</span>
        <QualityMark session={session} state={state} />
      </div>
      <div className="top-bar-side" role="toolbar" aria-label={text.bar.session}>
        <button
          type="button"
          className={recorder.isRecording ? "button is-record is-on" : "button is-record"}
          onClick={() => void recorder.toggle()}
          disabled={recorder.isBusy}
          aria-pressed={recorder.isRecording}
        >
          <span className="record-dot" aria-hidden="true" />
          <span className="record-word">{recorder.isRecording ? clockTime(recorder.seconds) : text.bar.record}</span>
          {recorder.isRecording ? <span className="visually-hidden">{text.bar.recordingHint}</span> : null}
        </button>
        {isPaused ? <Tool name="step" label={text.bar.step} onClick={props.onStep} /> : null}
        <Tool
          name={isPaused ? "play" : "pause"}
          label={isPaused ? text.bar.continue : text.bar.pause}
          keys={props.pauseKeys}
          onClick={props.onPause}
        />
        <Tool
          name="stats"
          label={text.bar.numbers}
          keys={props.statsKeys}
          onClick={props.onStats}
          isPressed={props.showsStats}
        />
        <Tool name="fullscreen" label={text.bar.fullScreen} onClick={props.onFullscreen} isWide />
        <Tool name="menu" label={text.bar.menu} keys={[text.controls.keys.Esc]} onClick={props.onMenu} />
      </div>
    </header>
  );
}

function Tool(props: {
  readonly name: Parameters<typeof Icon>[0]["name"];
  readonly label: string;
  readonly keys?: readonly string[];
  readonly onClick: () => void;
  readonly isWide?: boolean;
  readonly isPressed?: boolean;
}): ReactNode {
  const { name, label, keys = [], onClick, isWide, isPressed } = props;
  const text = useText();
  return (
    <button
      type="button"
      className={isWide === true ? "button is-icon on-wide" : "button is-icon"}
      aria-label={label}
      aria-pressed={isPressed}
      title={withKeyName(label, keys, text)}
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
  const text = useText();
  const stats = usePlayStats(session);
  const rates = useFrameRates(session, state);
  const quality = stats?.quality;
  if (state !== "running" || quality === undefined || quality.level === "unknown") return null;
  const target = stats?.targetFramesPerSecond;
  const speed =
    rates === undefined || target === undefined ? undefined : speedOf(rates.generatedFramesPerSecond, target);
  return (
    <span className={`quality is-${quality.level}`}>
      <span className="quality-dot" aria-hidden="true" />{" "}
      {quality.level === "good" ? text.bar.smooth : causeText(quality.cause, speed, text)}
    </span>
  );
}

/** What keeps a session from being smooth. A world that makes fewer frames than it should runs in slow motion. */
function causeText(cause: string | undefined, speed: number | undefined, { bar }: Messages): string {
  switch (cause) {
    case "encode":
      return bar.slowEncoder;
    case "network":
      return bar.slowNetwork;
    case "decode":
      return bar.slowDevice;
    case "input":
      return bar.slowResponse;
    default:
      return speed === undefined ? bar.slowMotion : bar.slowMotionAt(Math.min(speed, 1));
  }
}
