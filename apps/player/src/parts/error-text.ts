import { DreamloopError, isDreamloopError } from "@dreamloop/client";

/** What a person is told of an error. */
export interface ErrorText {
  /** In a few words. */
  readonly title: string;
  /** What was wrong and what to do. */
  readonly message: string;
  /** What programs said of it, for those who run the server. */
  readonly details?: string;
  /** Whether trying again may help. */
  readonly canRetry: boolean;
}

/** Puts an error into words. */
export function errorText(error: unknown): ErrorText {
  if (!isDreamloopError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { title: "Something went wrong", message, canRetry: true };
  }
  switch (error.code) {
    case "busy": {
      const { retryAfterSeconds } = error.details;
      const wait =
        typeof retryAfterSeconds === "number" ? ` Try again in about ${Math.ceil(retryAfterSeconds)} seconds.` : "";
      return {
        title: "All seats are taken",
        message: `The server plays as many sessions as it can.${wait}`,
        canRetry: true,
      };
    }
    case "unavailable":
      return {
        title: "The server cannot be reached",
        message: "Check that it runs and that this device is on its network.",
        canRetry: true,
      };
    case "load_failed":
    case "bundle_invalid":
    case "unsupported_config":
      return {
        title: "The world does not load",
        message:
          "Something is wrong with its files or with the machine that runs it. Another try may help; else whoever runs the server can find out.",
        details: error.message,
        canRetry: true,
      };
    case "step_failed":
    case "bad_frame":
    case "worker_failed":
      return {
        title: "The world has stopped",
        message: "It failed while it was running, and the session with it. Start it again to play on.",
        details: error.message,
        canRetry: true,
      };
    case "limit_exceeded":
      return { title: "Too much at once", message: sentence(error.message), canRetry: true };
    case "not_found":
      return { title: "Nothing here", message: sentence(error.message), canRetry: false };
    case "unauthorized":
      return {
        title: "The link is not complete",
        message:
          "The server asks for its token, which is part of the link that it printed at its start. Open that one.",
        canRetry: false,
      };
    case "closed":
      return endedText(error);
    default:
      return { title: "Something went wrong", message: sentence(error.message), canRetry: true };
  }
}

/** Of a session that was over before its page was connected: what ended it, in the words of those who saw it end. */
function endedText(error: DreamloopError): ErrorText {
  const { ending, endingMessage } = error.details;
  if (typeof ending === "string" && ending !== "closed" && typeof endingMessage === "string") {
    return errorText(new DreamloopError(ending as DreamloopError["code"], endingMessage));
  }
  const message = sentence(typeof endingMessage === "string" ? endingMessage : error.message);
  return { title: "The session has ended", message, canRetry: true };
}

/** A message as a sentence: with a capital letter and, unless it ends by itself, a full stop. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
