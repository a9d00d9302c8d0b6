import type { DreamloopError } from "@dreamloop/core";
import type { RawMessage } from "../protocol/message-reader.ts";

/** What a carrier tells its user. */
export interface CarrierListener {
  /** A message arrived; its header has not been checked. */
  readonly onMessage: (message: RawMessage) => void;
  /** The carrier is closed and nothing more arrives; `error` says why when the other side is to blame. Called once. */
  readonly onClose: (error?: DreamloopError) => void;
}

/** Carries the messages of the session protocol to one world and back, whole and in order. Who made it closes it. */
export interface Carrier {
  /** How messages and frames travel, for people: such as `a socket`. */
  readonly name: string;
  /** Begins to deliver. */
  listen(listener: CarrierListener): void;
  /** Sends a message. What is not sent when the other side is gone is dropped: `onClose` tells of that. */
  send(header: object, payload?: Uint8Array): void;
  /** Lets the process end although the carrier is open, or not. */
  keepAlive(keep: boolean): void;
  /** Closes it; idempotent. */
  close(): void;
}
