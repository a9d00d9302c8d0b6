import type { ControlLayout } from "../../input/control-layout.ts";
import type { ReleaseReason } from "../../input/input-state.ts";
import type { PlaySession } from "../../session/play-session.ts";
import type { StageStanding } from "./key-owner.ts";

/** What a device needs of the capture. */
export interface DeviceContext {
  /** The session whose input it writes. */
  readonly session: PlaySession;
  /** The element over the picture. */
  readonly target: HTMLElement;
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** Whether input goes to this stage rather than to the page or to another stage. */
  readonly standing: StageStanding;
  /** Whether the person has chosen this stage, rather than that it is the only one. */
  readonly isChosen: boolean;
  /** Begins a change: input that follows a loss of focus takes the focus back; false while input is blocked. */
  claim(): boolean;
  /** Ends a change. */
  changed(isNews: boolean): void;
  /** Releases everything. */
  release(reason: ReleaseReason): void;
}
