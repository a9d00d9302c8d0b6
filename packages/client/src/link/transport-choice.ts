import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { SessionAnswer } from "@dreamloop/protocol";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import type { Link, LinkHandlers, LinkOpener } from "./link.ts";

/** Which transport a caller asks for. */
export type TransportChoice = "auto" | "webrtc" | "websocket";

/** How long WebRTC may take before the socket is used, in milliseconds; the whole choice is made within 2 s. */
export const WEBRTC_DEADLINE_MILLISECONDS = 1_700;

/** How long a transport that was asked for by name may take. */
const ONLY_DEADLINE_MILLISECONDS = 10_000;

/** What can be chosen from. */
export interface TransportOpeners {
  /** Opens WebRTC; absent where the browser has none. */
  readonly webrtc?: LinkOpener;
  /** Opens the WebSocket. */
  readonly websocket: LinkOpener;
}

/**
 * Opens the best link that works: WebRTC, else the WebSocket when WebRTC fails or is not up in time. A choice by name is kept. Rejects with the
 * error of the last one tried; what the server refuses as such is not tried by another way.
 */
export async function openLink(
  choice: TransportChoice,
  openers: TransportOpeners,
  request: {
    readonly grant: SessionAnswer;
    readonly handlers: LinkHandlers;
    readonly signal: AbortSignal;
    readonly environment: ClientEnvironment;
  },
): Promise<Link> {
  if (choice === "websocket") return attempt(openers.websocket, request, ONLY_DEADLINE_MILLISECONDS);
  if (openers.webrtc === undefined) {
    if (choice === "auto") return attempt(openers.websocket, request, ONLY_DEADLINE_MILLISECONDS);
    throw new DreamloopError(
      ERROR_CODES.unavailable,
      "this browser has no WebRTC; use the transport auto or websocket",
    );
  }
  if (choice === "webrtc") return attempt(openers.webrtc, request, ONLY_DEADLINE_MILLISECONDS);
  try {
    return await attempt(openers.webrtc, request, WEBRTC_DEADLINE_MILLISECONDS);
  } catch (cause) {
    if (request.signal.aborted || isFinal(cause)) throw cause;
    return attempt(openers.websocket, request, ONLY_DEADLINE_MILLISECONDS);
  }
}

/** The server itself has said that the session is not to be had; a socket would be refused too, and browsers do not say why. */
function isFinal(error: unknown): boolean {
  const codes = [ERROR_CODES.closed, ERROR_CODES.notFound, ERROR_CODES.unauthorized] as const;
  return codes.some((code) => isDreamloopError(error, code)) && (error as DreamloopError).retryable === false;
}

/** One attempt with a deadline; whatever opens too late is closed and its news are not heard. */
async function attempt(
  open: LinkOpener,
  request: {
    readonly grant: SessionAnswer;
    readonly handlers: LinkHandlers;
    readonly signal: AbortSignal;
    readonly environment: ClientEnvironment;
  },
  deadlineMilliseconds: number,
): Promise<Link> {
  const { grant, handlers, signal, environment } = request;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  let isHeard = true;
  const heard: LinkHandlers = {
    onMessage: (message) => {
      if (isHeard) handlers.onMessage(message);
    },
    onPictureFailed: () => {
      if (isHeard) handlers.onPictureFailed();
    },
    onClosed: (reason) => {
      if (isHeard) handlers.onClosed(reason);
    },
  };
  let timer: unknown;
  const tooLate = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(cancelled(controller.signal.reason)), { once: true });
    timer = environment.setTimer(() => {
      const message = `the connection was not up within ${deadlineMilliseconds / 1000} s`;
      controller.abort(new DreamloopError(ERROR_CODES.unavailable, message, { retryable: true }));
    }, deadlineMilliseconds);
  });
  const opening = open(grant, heard, controller.signal);
  try {
    return await Promise.race([opening, tooLate]);
  } catch (error) {
    isHeard = false;
    controller.abort(error);
    // The loser of the race may still open: it must not stay behind.
    opening.then(
      (link) => link.close(),
      () => undefined,
    );
    throw error;
  } finally {
    environment.clearTimer(timer);
    signal.removeEventListener("abort", abort);
  }
}

function cancelled(reason: unknown): Error {
  return reason instanceof Error ? reason : new DreamloopError(ERROR_CODES.cancelled, "connect was cancelled");
}
