import type { IncomingMessage } from "node:http";
import { WebSocketServer, type WebSocket } from "ws";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type FrameCodec } from "@dreamloop/protocol";
import type { LastResort } from "../../platform/faults/last-resort.ts";
import { listenForErrors } from "../../platform/faults/listen-for-errors.ts";
import { endWithRefusal, refusal } from "../../platform/http/refusal.ts";
import type { RequestGate } from "../../platform/http/request-gate.ts";
import type { UpgradeListener } from "../../platform/http/upgrade-requests.ts";
import type { SessionRole, TokenSigner } from "../../platform/security/session-token.ts";
import type { ServerMetrics } from "../../platform/server-metrics.ts";
import type { TransportSession } from "../outlet/outlet.ts";
import { CLOSE_CODES, closeReason } from "./close-codes.ts";
import { refusalOf, SocketConnection, terminateSoon } from "./socket-connection.ts";

/** What a `webSocketEndpoint` is made with. */
export interface WebSocketEndpointOptions {
  /** Checks every request. */
  readonly gate: RequestGate;
  /** Reads the tokens of sessions. */
  readonly tokens: TokenSigner;
  /** Finds sessions; throws `closed` for one that has ended, `not_found` for any other. */
  readonly sessions: { find(sessionId: string): TransportSession };
  /** What this server encodes. */
  readonly codecs: readonly FrameCodec[];
  /** Counts answers. */
  readonly metrics: Pick<ServerMetrics, "httpRequests">;
  /** Whether clients reach this server by TLS. */
  readonly isTls: boolean;
  /** Ends the connection whose handling throws. */
  readonly faults: LastResort;
}

/**
 * Limits on frames beneath messages, which the types of the library do not know yet. No client of ours splits a message: empty pieces would be work that no
 * budget sees.
 */
const FRAME_LIMITS = { maxFragments: 16, maxPendingAutoPongs: 4 };

const PATH = /^\/api\/sessions\/([\w-]{1,64})\/socket$/;

/** Takes requests to become a WebSocket: the same checks and rate as for POST, then the session's token. */
export function webSocketEndpoint(options: WebSocketEndpointOptions): UpgradeListener {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    // One message in each turn of the event loop: many small ones that came together keep nobody else waiting.
    allowSynchronousEvents: false,
    maxPayload: PROTOCOL_LIMITS.controlMessageBytes,
    ...FRAME_LIMITS,
  });
  listenForErrors(server);
  return (request, socket, head) => {
    listenForErrors(socket, () => socket.destroy());
    listenForErrors(request);
    try {
      const { session, role } = admit(options, request);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const { codecs, faults } = options;
        new SocketConnection({ socket: webSocket, session, role, codecs, faults });
      });
    } catch (error) {
      if (isDreamloopError(error, ERROR_CODES.closed)) {
        // Pages cannot read why an upgrade was refused, but they can read messages, and why a socket was closed.
        server.handleUpgrade(request, socket, head, (webSocket) => turnAway(webSocket, error));
        return;
      }
      const refused = refusal(error, options);
      options.metrics.httpRequests.inc({ status: refused.status });
      endWithRefusal(socket, refused);
    }
  };
}

/** Tells a client why there is nothing for it here, reads nothing of what it sends, and closes. */
function turnAway(socket: WebSocket, error: DreamloopError): void {
  listenForErrors(socket);
  socket.send(JSON.stringify(refusalOf(error)));
  socket.close(CLOSE_CODES.ended, closeReason(error.message));
  terminateSoon(socket);
}

function admit(
  { gate, tokens, sessions }: WebSocketEndpointOptions,
  request: IncomingMessage,
): { readonly session: TransportSession; readonly role: SessionRole } {
  gate.admit(request);
  const url = addressIn(request);
  const [, sessionId] = PATH.exec(url.pathname) ?? [];
  if (sessionId === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no WebSocket at this path");
  const token = url.searchParams.get("token") ?? "";
  const claims = tokens.read(token);
  gate.checkOrigin(request, token);
  if (claims.sessionId !== sessionId) {
    throw new DreamloopError(ERROR_CODES.unauthorized, "the token is of another session");
  }
  return { session: sessions.find(sessionId), role: claims.role };
}

function addressIn({ url = "/" }: IncomingMessage): URL {
  const path = url.startsWith("/") ? `http://server${url}` : url;
  if (URL.canParse(path)) return new URL(path);
  throw new DreamloopError(ERROR_CODES.invalidValue, "the address of the request cannot be read");
}
