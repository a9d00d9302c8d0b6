import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS } from "@dreamloop/protocol";
import { errorAnswer } from "../http/error-answer.ts";
import type { ServerContext } from "../http/server-context.ts";
import { SocketConnection } from "./socket-connection.ts";

const PATH = /^\/api\/sessions\/([\w-]{1,64})\/socket$/;

/** Takes requests to become a WebSocket: the same checks as for POST, then the session's token. */
export function webSocketUpgrade(
  context: ServerContext,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
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
  const { access, tokens, registry } = context;
  const { host, origin } = request.headers;
  access.checkHost({ host });
  const url = new URL(request.url ?? "/", "http://server");
  const [, sessionId] = PATH.exec(url.pathname) ?? [];
  if (sessionId === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no WebSocket at this path");
  const claims = tokens.read(url.searchParams.get("token") ?? "");
  access.checkOrigin({ host, origin, hasToken: true });
  if (claims.sessionId !== sessionId) {
    throw new DreamloopError(ERROR_CODES.unauthorized, "the token is of another session");
  }
  return { session: registry.find(sessionId), role: claims.role };
}
