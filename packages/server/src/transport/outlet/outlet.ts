import type { Clock } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import type { FrameCodec, FrameMetadata, IceCandidate, ServerMessage, SessionStateMessage } from "@dreamloop/protocol";
import type { MediaFrame } from "../../media/media-messages.ts";
import type { SessionRole } from "../../platform/security/session-token.ts";
import type { ReceiverFeedback } from "./receiver-feedback.ts";

/** The transport's side of a connection: what a session calls to reach one viewer. */
export interface Outlet {
  /** How it travels, such as `webrtc`; a name for metrics, logs and statistics. */
  readonly transport: string;
  /** How its frames are coded. */
  readonly codec: FrameCodec;
  /** Whether a frame would be taken now. */
  hasRoom(): boolean;
  /** Sends a frame; false when it was not taken. Never waits. */
  sendFrame(frame: MediaFrame, metadata: FrameMetadata): boolean;
  /** Sends a message over the reliable way. */
  sendMessage(message: ServerMessage): void;
  /** Takes candidates of the other side, where the transport has such. */
  addCandidates?(candidates: readonly IceCandidate[]): void;
  /** Ends the transport. */
  close(reason: ErrorRecord | undefined): void;
}

/** The session's side of a connection: what a transport calls with what comes from one viewer. */
export interface Inlet {
  /** The epoch in which the input of this connection counts. */
  readonly epoch: number;
  /** Whether frames are sent to it. */
  readonly isReady: boolean;
  /** Whether it is neither lost nor closed. */
  readonly isOpen: boolean;
  /** The transport can take frames from now on. */
  ready(): void;
  /** Takes a text of the input channel. */
  takeInput(text: string): void;
  /** Takes a text of the control channel; the answer goes to the outlet. */
  takeControl(text: string): void;
  /** Takes what the receiver reports. */
  takeFeedback(feedback: ReceiverFeedback): void;
  /** Hands candidates to the outlet. */
  addCandidates(candidates: readonly IceCandidate[]): void;
  /** Sends a message to the viewer. */
  send(message: ServerMessage): void;
  /** The transport is gone; idempotent. */
  lost(reason: string): void;
  /** Ends the connection; idempotent. */
  close(reason?: ErrorRecord): void;
}

/** What a transport sees of a session. */
export interface TransportSession {
  /** Measures rates and waits: the clock of the process. */
  readonly stampClock: Clock;
  /** The codecs that are encoded now, for viewers who are there or on their way. */
  readonly codecsInUse: readonly FrameCodec[];
  /** What the session is doing, as viewers hear it. */
  readonly stateMessage: SessionStateMessage;
  /** Adds a viewer, not yet able to take frames. Throws `busy` when there are too many, `closed` after the end. */
  connect(role: SessionRole, makeOutlet: () => Outlet): Inlet;
}
