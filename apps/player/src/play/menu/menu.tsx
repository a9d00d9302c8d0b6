import type { ControlLayout, PlaySession } from "@dreamloop/client";
import type { ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { useText } from "../../text/text-provider.tsx";
import type { Remap } from "../controls/remap.ts";
import type { KeptRecording } from "../recording/use-recorder.ts";
import { AboutTab } from "./about-tab.tsx";
import { ControlsTab } from "./controls-tab.tsx";
import { RecordingsTab } from "./recordings-tab.tsx";
import { SessionTab } from "./session-tab.tsx";

const TABS = ["session", "controls", "recordings", "about"] as const;

/** A part of the menu. */
export type MenuTab = (typeof TABS)[number];

/** What the menu takes. */
export interface MenuProps {
  /** The session. */
  readonly session: PlaySession;
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** The part that is shown. */
  readonly tab: MenuTab;
  /** Shows another part. */
  readonly onTab: (tab: MenuTab) => void;
  /** Finished recordings. */
  readonly recordings: readonly KeptRecording[];
  /** Keys that were chosen. */
  readonly remap: Remap;
  /** Other keys. */
  readonly onRemap: (remap: Remap) => void;
  /** Whether there is a gallery. */
  readonly canLeave: boolean;
  /** The browser's name of the gamepad that is connected. */
  readonly gamepadId: string | undefined;
  /** Takes where the sticks of gamepads are now for their rest. */
  readonly onCalibrate: () => void;
  /** Hears of refusals. */
  readonly onError: (error: unknown) => void;
  /** Says something. */
  readonly onToast: (message: string) => void;
  /** Closes the menu. */
  readonly onClose: () => void;
}

/** The menu; while it is open, the world stands still and nothing is held. */
export function Menu(props: MenuProps): ReactNode {
  const { menu } = useText();
  const { session, tab, onTab } = props;
  return (
    <Dialog title={menu.title} className="menu" onClose={props.onClose}>
      <nav className="tabs" aria-label={menu.parts}>
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={name === tab ? "page" : undefined}
            className="tab"
            onClick={() => onTab(name)}
          >
            {menu[name]}
          </button>
        ))}
      </nav>
      <div className="tab-content" tabIndex={0} role="region" aria-label={menu[tab]}>
        {tab === "session" ? (
          <SessionTab session={session} onError={props.onError} onToast={props.onToast} onDone={props.onClose} />
        ) : null}
        {tab === "controls" ? (
          <ControlsTab
            layout={props.layout}
            remap={props.remap}
            onRemap={props.onRemap}
            gamepadId={props.gamepadId}
            onCalibrate={props.onCalibrate}
          />
        ) : null}
        {tab === "recordings" ? <RecordingsTab world={session.world.id} recordings={props.recordings} /> : null}
        {tab === "about" ? <AboutTab world={session.world} /> : null}
      </div>
      <footer className="menu-foot">
        {props.canLeave ? (
          <a className="button" href="#/">
            {menu.leave}
          </a>
        ) : null}
        <button type="button" className="button is-primary" data-focus-first onClick={props.onClose}>
          {menu.playOn}
        </button>
      </footer>
    </Dialog>
  );
}
