import { DreamloopError, isDreamloopError } from "@dreamloop/client";
import type { Messages } from "./messages.ts";

/** What a person is told about an error. */
export interface ErrorText {
  /** In a few words. */
  readonly title: string;
  /** What happened and what to do. */
  readonly message: string;
  /** What programs said about it, for those who run the server. */
  readonly details?: string;
  /** Whether `details` are shown at once, since nothing else says what happened. */
  readonly detailsOpen?: boolean;
  /** What can be done: nothing, another try by hand, or a try that the page makes by itself after some time. */
  readonly retry: "none" | "by_hand" | "by_itself";
  /** Seconds after which the server asks to be tried again, where it named them. */
  readonly retryAfterSeconds?: number;
}

/** Puts an error into the words of a catalogue. */
export function errorText(error: unknown, text: Messages): ErrorText {
  const { faults } = text;
  if (!isDreamloopError(error)) {
    const details = sentence(error instanceof Error ? error.message : String(error));
    return { title: faults.unknownTitle, message: faults.unknownText, details, detailsOpen: true, retry: "by_hand" };
  }
  const { details: facts } = error;
  const details = sentence(error.message);
  switch (error.code) {
    case "busy": {
      const after = typeof facts.retryAfterSeconds === "number" ? { retryAfterSeconds: facts.retryAfterSeconds } : {};
      return { title: faults.busyTitle, message: faults.busyText, retry: "by_itself", ...after };
    }
    case "unavailable":
      return { title: faults.unreachableTitle, message: faults.unreachableText, details, retry: "by_itself" };
    case "load_failed":
    case "bundle_invalid":
    case "unsupported_config":
      return { title: faults.loadTitle, message: faults.loadText, details, retry: "by_hand" };
    case "step_failed":
    case "bad_frame":
    case "worker_failed":
      return { title: faults.worldTitle, message: faults.worldText, details, retry: "by_hand" };
    case "limit_exceeded":
      return { title: faults.limitTitle, message: faults.limitText, details, retry: "by_hand" };
    case "not_found":
      return { title: faults.missingTitle, message: faults.missingText, details, retry: "none" };
    case "unauthorized":
      return { title: faults.tokenTitle, message: faults.tokenText, retry: "none" };
    case "closed":
      return endedText(error, text);
    default:
      return { title: faults.unknownTitle, message: faults.unknownText, details, detailsOpen: true, retry: "by_hand" };
  }
}

/** About a session that is over: what ended it, in the words of those who saw it end. */
function endedText(error: DreamloopError, text: Messages): ErrorText {
  const { ending, endingMessage, reason } = error.details;
  if (typeof ending === "string" && ending !== "closed" && typeof endingMessage === "string") {
    return errorText(new DreamloopError(ending as DreamloopError["code"], endingMessage), text);
  }
  const { faults } = text;
  const said = typeof endingMessage === "string" ? endingMessage : error.message;
  const details = sentence(said);
  switch (typeof reason === "string" ? reason : REASONS[said]) {
    case "server_closing":
      return { title: faults.stoppedTitle, message: faults.stoppedText, retry: "by_itself" };
    case "idle":
      return { title: faults.endedTitle, message: faults.endedIdle, retry: "by_hand" };
    case "lifetime":
      return { title: faults.endedTitle, message: faults.endedLifetime, retry: "by_hand" };
    case "grace":
      return { title: faults.endedTitle, message: faults.endedGrace, retry: "by_hand" };
    case "taken_over":
      return { title: faults.endedTitle, message: faults.endedElsewhere, retry: "by_hand" };
    default:
      return { title: faults.endedTitle, message: faults.endedText, details, retry: "by_hand" };
  }
}

/** Reasons of ends by the server's words for them, for answers that carry the words alone. */
const REASONS: Readonly<Record<string, string>> = {
  "nothing was done for too long": "idle",
  "the session reached its longest time": "lifetime",
  "the player did not come back in time": "grace",
  "the server is closing": "server_closing",
  "another page took over": "taken_over",
};

/** A message as a sentence: with a capital letter and, unless it ends by itself, a full stop. */
export function sentence(message: string): string {
  const begun = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
