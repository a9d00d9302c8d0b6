import { dirname, isAbsolute } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import type { ServedWorld } from "../worlds/served-world.ts";

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

/** The error for whoever asks something of a session that has ended; says why it did. */
export function hasEnded(ending: ErrorRecord | undefined): DreamloopError {
  const why = ending === undefined ? "" : `: ${ending.message}`;
  return new DreamloopError(ERROR_CODES.closed, `the session has ended${why}`, {
    details: ending === undefined ? {} : { ending: ending.code, endingMessage: ending.message },
  });
}

/**
 * What clients are told of a fault: the same, with the world's id where the message or the details name the folder or file that the
 * world comes from, which is nobody's business but the operator's.
 */
export function toldRecord(record: ErrorRecord, { id, reference }: Pick<ServedWorld, "id" | "reference">): ErrorRecord {
  const paths = [reference.argument, reference.module, dirname(reference.module)].filter(
    (path): path is string => typeof path === "string" && isAbsolute(path) && path !== dirname(path),
  );
  const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
  const told = paths.reduce((text, path) => text.replaceAll(inJson(path), inJson(id)), JSON.stringify(record));
  return JSON.parse(told) as ErrorRecord;
}
