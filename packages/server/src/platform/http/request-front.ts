import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ServerMetrics } from "../server-metrics.ts";
import type { LastResort } from "../faults/last-resort.ts";
import { listenForErrors } from "../faults/listen-for-errors.ts";
import { endWithRefusal, refusal } from "./refusal.ts";
import type { RequestGate } from "./request-gate.ts";

/** What a `RequestFront` is made with. */
export interface RequestFrontOptions {
  /** Checks rates and hosts. */
  readonly gate: RequestGate;
  /** Counts answers. */
  readonly metrics: Pick<ServerMetrics, "httpRequests">;
  /** Whether clients reach this server by TLS. */
  readonly isTls: boolean;
  /** Ends the connection of a request whose handling throws. */
  readonly faults: LastResort;
  /** Takes the requests that were let in. */
  readonly listener: RequestListener;
}

/** Unanswered requests on one connection. Browsers and proxies send one after the other; a few may be on their way together. */
const MAX_UNANSWERED = 8;

/** Heads of requests in one piece of what arrives, which has up to 64 KiB. */
const MAX_HEADS = 2 * MAX_UNANSWERED;

/**
 * The first thing that sees a request. What is refused here costs next to nothing, is answered once with the headers and the JSON of every other answer,
 * and ends its connection: one that sends more than it may, or what is no HTTP, is not read on.
 */
export class RequestFront {
  readonly #options: RequestFrontOptions;
  readonly #unanswered = new WeakMap<Socket, number>();
  readonly #cut = new WeakSet<Socket>();
  /** The request of each connection that came last, whose body may still be arriving. */
  readonly #body = new WeakMap<Socket, IncomingMessage>();
  /** What ends the look at each connection. */
  readonly #watched = new WeakMap<Socket, () => void>();

  /** Serves nothing before `attach`. */
  constructor(options: RequestFrontOptions) {
    this.#options = options;
  }

  /** Takes a request. */
  take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // What came behind a request that was cut is of no interest, although the parser hands it over.
    if (this.#cut.has(socket)) return;
    listenForErrors(request);
    listenForErrors(response);
    this.#body.set(socket, request);
    const unanswered = (this.#unanswered.get(socket) ?? 0) + 1;
    this.#unanswered.set(socket, unanswered);
    response.once("close", () => this.#unanswered.set(socket, (this.#unanswered.get(socket) ?? 1) - 1));
    try {
      if (unanswered > MAX_UNANSWERED) throw tooManyAtOnce();
      this.#options.gate.admit(request);
    } catch (error) {
      this.#refuse(socket, response, error);
      return;
    }
    const { faults, listener } = this.#options;
    faults.run({ fail: () => socket.destroy() }, () => listener(request, response));
  }

  /** Answers what Node's parser could not read, or what took too long, and ends the connection. */
  takeClientError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (!socket.writable || error.code === "ECONNRESET") {
      socket.destroy();
      return;
    }
    this.#options.metrics.httpRequests.inc({ status: statusOf(error) });
    endWithRefusal(socket, refusal(unreadable(error), this.#options));
    socket.destroySoon();
  }

  /** Listens to a server. */
  attach(server: Server): void {
    // What follows an upgrade is no HTTP.
    server.on("upgrade", ({ socket }: IncomingMessage) => this.#watched.get(socket)?.());
    server.on("request", (request, response) => this.take(request, response));
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => this.takeClientError(error, socket as Socket));
    const known = new WeakSet<Socket>();
    const watch = (socket: Socket): void => {
      this.#watchPieces(socket);
      // One comes again with a request whose wish for another protocol is passed over.
      if (known.has(socket)) return;
      known.add(socket);
      listenForErrors(socket, () => socket.destroy());
    };
    server.on("connection", watch);
    server.on("secureConnection", watch);
    // Without a listener Node would end the process by what TLS says of a client.
    server.on("tlsClientError", (_error: Error, socket: Socket) => socket.destroy());
  }

  /**
   * Looks at what arrives before the parser does. The parser hands over all requests of a piece at once, which takes long for thousands of them, and cannot
   * be stopped in between.
   */
  #watchPieces(socket: Socket): void {
    const look = (piece: Buffer): void => {
      if (this.#body.get(socket)?.complete === false || headEnds(piece) <= MAX_HEADS) return;
      stop();
      socket.removeAllListeners("data");
      const refused = refusal(tooManyAtOnce(), this.#options);
      this.#options.metrics.httpRequests.inc({ status: refused.status });
      endWithRefusal(socket, refused);
      socket.destroySoon();
    };
    const stop = (): void => {
      socket.off("data", look);
      this.#watched.delete(socket);
    };
    this.#watched.set(socket, stop);
    socket.prependListener("data", look);
  }

  #refuse(socket: Socket, response: ServerResponse, error: unknown): void {
    const { status, headers, body } = refusal(error, this.#options);
    this.#options.metrics.httpRequests.inc({ status });
    this.#cut.add(socket);
    // Answers keep their order: those before this one go out first, and what waits behind it is dropped.
    response.writeHead(status, headers).end(body, () => socket.destroySoon());
  }
}

/** How many heads of requests end in a piece: empty lines. */
function headEnds(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(LINE_FEED); at >= 0 && count <= MAX_HEADS; at = piece.indexOf(LINE_FEED, at + 1)) {
    const next = piece[at + 1] === CARRIAGE_RETURN ? piece[at + 2] : piece[at + 1];
    if (next === LINE_FEED) count += 1;
  }
  return count;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

function statusOf({ code }: NodeJS.ErrnoException): number {
  if (code === "HPE_HEADER_OVERFLOW") return 431;
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? 408 : 400;
}

function unreadable(error: NodeJS.ErrnoException): DreamloopError {
  const status = statusOf(error);
  const message =
    status === 431
      ? "the headers of the request are too large"
      : status === 408
        ? "the request took too long to arrive"
        : "this is no HTTP request that can be read";
  return new DreamloopError(ERROR_CODES.invalidValue, message, { details: { status } });
}

function tooManyAtOnce(): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.limitExceeded,
    `more than ${MAX_UNANSWERED} requests of one connection are unanswered; wait for answers`,
    { retryable: true, details: { retryAfterSeconds: 1 } },
  );
}
