import type { ControlLayout } from "../../input/control-layout.ts";
import type { ReleaseReason } from "../../input/input-state.ts";
import type { PlaySession } from "../../session/play-session.ts";

/** What a device needs of the capture. */
export interface DeviceContext {
  /** The session whose input it writes. */
  readonly session: PlaySession;
  /** The world's controls. */
  readonly layout: ControlLayout;
  /** Begins a change: input that follows a loss of focus takes the focus back; false while input is blocked. */
  claim(): boolean;
  /** Ends a change. */
  changed(isNews: boolean): void;
  /** Releases everything. */
  release(reason: ReleaseReason): void;
}
