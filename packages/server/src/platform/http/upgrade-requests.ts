import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Takes what Node emits as `upgrade`: the request, its connection, and what of it was read beyond the headers. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * Takes requests with `Upgrade`. WebSockets go to `webSocket`. Any other protocol is not spoken here, so that the wish is passed over, as RFC 9110
 * (7.8) allows, and the request goes through the server once more without it: with its body, and with all checks and times that others have.
 */
export function upgradeRequests(
  server: Server,
  options: { readonly isTls: boolean; readonly webSocket: UpgradeListener },
): UpgradeListener {
  const { isTls, webSocket } = options;
  const lastAnswers = noteLastAnswers(server);
  return (request, connection, head) => {
    const socket = connection as Socket;
    const goOn = (): void => {
      if (request.headers.upgrade?.toLowerCase() === "websocket") webSocket(request, socket, head);
      else {
        // An answer before it may have begun to count idle time.
        socket.setTimeout(0);
        socket.unshift(Buffer.concat([plainHead(request), head]));
        server.emit(isTls ? "secureConnection" : "connection", socket);
      }
    };
    const last = lastAnswers.get(socket);
    if (last === undefined) goOn();
    else {
      // It came before the one in front of it was answered; answers keep their order.
      const drop = (): void => void socket.destroy();
      socket.on("error", drop);
      last.once("close", () => {
        if (socket.destroyed || !socket.writable) return;
        socket.off("error", drop);
        goOn();
      });
    }
  };
}

/** The last answer of each connection, while it is under way. */
function noteLastAnswers(server: Server): WeakMap<Socket, ServerResponse> {
  const answers = new WeakMap<Socket, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, answer: ServerResponse) => {
    answers.set(socket, answer);
    answer.once("close", () => {
      if (answers.get(socket) === answer) answers.delete(socket);
    });
  });
  return answers;
}

/** The head of a request as it came, less the wish for another protocol. */
function plainHead({ method = "", url = "", httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = "", value = ""] = rawHeaders.slice(at, at + 2);
    if (name.toLowerCase() !== "upgrade") lines.push(`${name}:${value}`);
  }
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}
