import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type FrameCodec } from "@dreamloop/protocol";
import { errorAnswer } from "../../platform/http/error-answer.ts";
import type { RequestGate } from "../../platform/http/request-gate.ts";
import type { UpgradeListener } from "../../platform/http/upgrade-requests.ts";
import type { SessionRole, TokenSigner } from "../../platform/security/session-token.ts";
import type { ServerMetrics } from "../../platform/server-metrics.ts";
import type { TransportSession } from "../outlet/outlet.ts";
import { CLOSE_CODES, closeReason } from "./close-codes.ts";
import { refusalOf, SocketConnection } from "./socket-connection.ts";

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
}

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
  });
  return (request, socket, head) => {
    socket.on("error", () => socket.destroy());
    try {
      const { session, role } = admit(options, request);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        new SocketConnection({ socket: webSocket, session, role, codecs: options.codecs });
      });
    } catch (error) {
      if (isDreamloopError(error, ERROR_CODES.closed)) {
        // Pages cannot read why an upgrade was refused, but they can read messages, and why a socket was closed.
        server.handleUpgrade(request, socket, head, (webSocket) => {
          webSocket.send(JSON.stringify(refusalOf(error)));
          webSocket.close(CLOSE_CODES.ended, closeReason(error.message));
        });
        return;
      }
      const { status, body } = errorAnswer(error);
      const text = JSON.stringify(body);
      options.metrics.httpRequests.inc({ status });
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  };
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
