import type { IncomingMessage } from "node:http";
import { WebSocketServer } from "ws";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { PROTOCOL_LIMITS } from "@dreamloop/protocol";
import { errorAnswer } from "../../platform/http/error-answer.ts";
import { tooManyRequests } from "../../platform/http/request-identity.ts";
import type { ServerContext } from "../../app/server-context.ts";
import type { UpgradeListener } from "../../platform/http/upgrade-requests.ts";
import { CLOSE_CODES, closeReason } from "./close-codes.ts";
import { refusalOf } from "./refusal.ts";
import { SocketConnection } from "./socket-connection.ts";

const PATH = /^\/api\/sessions\/([\w-]{1,64})\/socket$/;

/** Takes requests to become a WebSocket: the same checks and rate as for POST, then the session's token. */
export function webSocketUpgrade(context: ServerContext): UpgradeListener {
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
      const { session, role } = admit(context, request);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        new SocketConnection(context, { socket: webSocket, session, role });
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
      context.metrics.httpRequests.inc({ status });
      socket.end(
        `HTTP/1.1 ${status} Refused\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
      );
    }
  };
}

function admit(context: ServerContext, request: IncomingMessage) {
  const { access, tokens, registry, rates, clock, identities } = context;
  const { host, origin } = request.headers;
  if (!rates.take(identities.of(request), clock.nowSeconds())) throw tooManyRequests();
  access.checkHost({ host });
  const url = addressIn(request);
  const [, sessionId] = PATH.exec(url.pathname) ?? [];
  if (sessionId === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no WebSocket at this path");
  const claims = tokens.read(url.searchParams.get("token") ?? "");
  access.checkOrigin({ host, origin, hasToken: true });
  if (claims.sessionId !== sessionId) {
    throw new DreamloopError(ERROR_CODES.unauthorized, "the token is of another session");
  }
  return { session: registry.find(sessionId), role: claims.role };
}

function addressIn({ url = "/" }: IncomingMessage): URL {
  const path = url.startsWith("/") ? `http://server${url}` : url;
  if (URL.canParse(path)) return new URL(path);
  throw new DreamloopError(ERROR_CODES.invalidValue, "the address of the request cannot be read");
}
