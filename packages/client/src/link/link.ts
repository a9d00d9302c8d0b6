import type { DreamloopError } from "@dreamloop/core";
import type { FrameCodec, ServerMessage, SessionAnswer, Transport } from "@dreamloop/protocol";
import type { PictureSource } from "./picture-source.ts";

/** What hears of a link. */
export interface LinkHandlers {
  /** A message came in. */
  onMessage(message: ServerMessage): void;
  /** Frames arrive, and none of them can be decoded. The link stays; another one may bring pictures. */
  onPictureFailed(): void;
  /** The link is over, not by `close()`; `retryable` says whether a new one may work. */
  onClosed(reason: DreamloopError): void;
}

/** A connection to a running session: video comes, input and requests go. */
export interface Link {
  /** How it travels. */
  readonly kind: Transport;
  /** The codec of the socket's frames; absent for WebRTC, where statistics tell it. */
  readonly codec?: FrameCodec;
  /** Number of the stretch over which input counts run on this connection. */
  readonly epoch: number;
  /** Whether no input message gets lost. */
  readonly isReliable: boolean;
  /** Where its pictures come from. */
  readonly source: PictureSource;
  /** Sends an input message; dropped when the link cannot take it now. */
  sendInput(message: string): void;
  /** Sends a request. */
  sendControl(message: string): void;
  /** Ends it; `onClosed` is not called. */
  close(): void;
}

/** Opens a link, or rejects. */
export type LinkOpener = (grant: SessionAnswer, handlers: LinkHandlers, signal: AbortSignal) => Promise<Link>;
