import { ERROR_CODES, type ErrorRecord } from "@dreamloop/core";

/** Why a session ended; the stable names of metrics and logs, with what people are told. */
export const END_MESSAGES = {
  /** The player or a program asked for it. */
  asked: "the session was ended",
  /** The player did not come, or not come back. */
  grace: "the player did not come back in time",
  /** There was no input or request for too long. */
  idle: "nothing was done for too long",
  /** It lasted as long as sessions may. */
  lifetime: "the session reached its longest time",
  /** Its world could not be loaded. */
  load_failed: "the world could not be loaded",
  /** Its world, worker or encoder failed. */
  failed: "the session failed",
  /** The world has no more steps. */
  completed: "the rollout is complete",
  /** The server stops. */
  server_closing: "the server is closing",
} as const;

/** One of the keys of `END_MESSAGES`. */
export type EndReason = keyof typeof END_MESSAGES;

/** What clients are told of an end that is no fault. */
export function endRecord(reason: EndReason): ErrorRecord {
  return {
    code: ERROR_CODES.closed,
    message: END_MESSAGES[reason],
    retryable: reason === "server_closing",
    details: { reason },
  };
}
