import type { DreamloopError } from "@dreamloop/core";
import type { NoticeMessage, SessionState, SessionStateMessage, Transport, WorldSummary } from "@dreamloop/protocol";
import type { PresentedFrame } from "../present/stage.ts";
import type { PlayStats } from "./statistics/play-statistics.ts";
import type { QualityVerdict } from "./statistics/quality.ts";

/** What a session is doing, seen from the client: the server's states, and `reconnecting` while there is no link. */
export type PlayState = SessionState | "reconnecting";

/** Where the picture is. */
export const PICTURE_STATES = {
  /** None is there yet. */
  waiting: "waiting",
  /** The world runs, and has sent none for ten seconds. */
  late: "late",
  /** Pictures are shown. */
  shown: "shown",
  /** The browser plays no video before a click or a key; `showPicture` from one plays it, and so does the client's own button. */
  needsGesture: "needs_gesture",
  /** Frames arrive, and this browser can show them in no way that is left. */
  failed: "failed",
} as const;

/** One of `PICTURE_STATES`. */
export type PictureState = (typeof PICTURE_STATES)[keyof typeof PICTURE_STATES];

/** What a session tells. */
export interface PlayEvents {
  /** The state changed. */
  readonly state: PlayState;
  /** The server told its state, also with progress of a load or a new seed. */
  readonly server: SessionStateMessage;
  /** More is known of the world, such as its controls, since it has been loaded. */
  readonly world: WorldSummary;
  /** The picture came, stayed away or failed. */
  readonly picture: PictureState;
  /** A frame was shown. */
  readonly frame: PresentedFrame;
  /** New statistics, once a second. */
  readonly stats: PlayStats;
  /** The quality verdict changed. */
  readonly quality: QualityVerdict;
  /** A transport was chosen, at the start or after a reconnect. */
  readonly transport: Transport;
  /** Something that the user should know and that does not end the session. */
  readonly notice: Pick<NoticeMessage, "kind" | "message" | "details">;
  /** The session is over; the error says why, and is absent after `close()`. */
  readonly closed: DreamloopError | undefined;
}
