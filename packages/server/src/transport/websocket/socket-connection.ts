import type { RawData, WebSocket } from "ws";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isPlainObject, type ErrorRecord } from "@dreamloop/core/internal";
import { clientRecord } from "../../platform/http/client-record.ts";
import {
  type ControlResponse,
  frameMessageHead,
  PROTOCOL_VERSION,
  readHelloMessage,
  TRANSPORTS,
  type FrameCodec,
  type ServerMessage,
} from "@dreamloop/protocol";
import type { LastResort } from "../../platform/faults/last-resort.ts";
import { listenForErrors } from "../../platform/faults/listen-for-errors.ts";
import { MessageBudget } from "../../platform/limits/message-budget.ts";
import type { SessionRole } from "../../platform/security/session-token.ts";
import { Deadline } from "../../platform/limits/deadline.ts";
import type { Inlet, Outlet, TransportSession } from "../outlet/outlet.ts";
import { CLOSE_CODES, closeReason } from "./close-codes.ts";

/** Bytes that may wait in a socket; beyond that frames are left out until the next key frame. */
const MAX_WAITING_BYTES = 262_144;
/** Bytes that may wait in a socket before it is given up: messages are never left out. */
const MAX_BACKLOG_BYTES = 4 * MAX_WAITING_BYTES;
/** Seconds that a client gets for its first message. */
const HELLO_SECONDS = 5;
/** Seconds that a socket which is closing gets until it is cut. */
const CLOSING_SECONDS = 2;
/** Seconds between two pings; a client that has not answered by the next one is gone. */
const PING_SECONDS = 10;

/** What a `SocketConnection` is made with. */
export interface SocketConnectionOptions {
  /** The socket. */
  readonly socket: WebSocket;
  /** The session that it is for. */
  readonly session: TransportSession;
  /** What the client may do. */
  readonly role: SessionRole;
  /** What this server encodes. */
  readonly codecs: readonly FrameCodec[];
  /** Ends the socket whose messages make something throw. */
  readonly faults: LastResort;
}

/** One WebSocket: the whole of a connection where there is no WebRTC. */
export class SocketConnection {
  readonly #socket: WebSocket;
  readonly #session: TransportSession;
  readonly #role: SessionRole;
  readonly #codecs: readonly FrameCodec[];
  readonly #deadline: Deadline;
  readonly #budget = new MessageBudget();
  readonly #reading: Deadline;
  #inlet: Inlet | undefined;
  #isAlive = true;

  /** Takes the socket over; it ends by itself. */
  constructor(options: SocketConnectionOptions) {
    this.#codecs = options.codecs;
    this.#socket = options.socket;
    this.#session = options.session;
    this.#role = options.role;
    // What the network does is judged by the clock of the process, whatever clock times sessions.
    this.#deadline = new Deadline(options.session.stampClock);
    this.#reading = new Deadline(options.session.stampClock);
    this.#deadline.set(HELLO_SECONDS, () => this.#refuse("no hello message came in time"));
    const owner = { fail: () => options.socket.terminate() };
    options.socket.on("message", (data, isBinary) => {
      options.faults.run(owner, () => this.#take(data, isBinary));
    });
    options.socket.on("pong", () => {
      this.#isAlive = true;
      this.#charge(0);
    });
    options.socket.on("ping", () => this.#charge(0));
    // The library closes a socket that breaks the protocol; one that does not go is cut.
    listenForErrors(options.socket, () => terminateSoon(options.socket));
    options.socket.on("close", (code) => {
      this.#deadline.clear();
      this.#reading.clear();
      this.#inlet?.lost(`the WebSocket was closed (${code})`);
    });
  }

  #take(data: RawData, isBinary: boolean): void {
    if (isBinary) {
      this.#refuse("binary messages are not understood");
      return;
    }
    const text = (data as Buffer).toString("utf8");
    this.#charge((data as Buffer).byteLength);
    const inlet = this.#inlet;
    if (inlet === undefined) this.#hello(text);
    else if (isInput(text)) inlet.takeInput(text);
    else inlet.takeControl(text);
  }

  /** Whoever sends too much is not read for a while: what comes waits in the network, and nobody else has to. */
  #charge(bytes: number): void {
    const socket = this.#socket;
    const seconds = this.#budget.charge(bytes, this.#session.stampClock.nowSeconds());
    if (seconds === 0 || socket.readyState !== socket.OPEN) return;
    socket.pause();
    this.#reading.set(seconds, () => socket.resume());
  }

  #hello(text: string): void {
    try {
      const { version, decoders } = readHelloMessage(parseJson(text));
      if (version !== PROTOCOL_VERSION) {
        throw new DreamloopError(
          ERROR_CODES.invalidValue,
          `the server speaks version ${PROTOCOL_VERSION} of the protocol and the client version ${version}; reload the page`,
        );
      }
      const codec = this.#chooseCodec(decoders);
      const inlet = this.#session.connect(this.#role, () => this.#outlet(codec));
      this.#inlet = inlet;
      inlet.send({ type: "welcome", version: PROTOCOL_VERSION, codec, epoch: inlet.epoch });
      this.#ping();
      inlet.ready();
    } catch (error) {
      this.#refuse(clientRecord(error).message, error);
    }
  }

  /** What is made anyway where the client can decode it; else the first that can be made, in the client's order. */
  #chooseCodec(decoders: readonly FrameCodec[]): FrameCodec {
    const possible = decoders.filter((codec) => this.#codecs.includes(codec));
    const inUse = this.#session.codecsInUse;
    const chosen = possible.find((codec) => inUse.includes(codec)) ?? possible[0];
    if (chosen !== undefined) return chosen;
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `the server encodes ${this.#codecs.join(", ")} and the client decodes ${decoders.join(", ")}`,
    );
  }

  #outlet(codec: FrameCodec): Outlet {
    const socket = this.#socket;
    const isOpen = (): boolean => socket.readyState === socket.OPEN;
    const hasRoom = (): boolean => isOpen() && socket.bufferedAmount <= MAX_WAITING_BYTES;
    return {
      transport: TRANSPORTS.websocket,
      codec,
      hasRoom,
      sendFrame: (frame, metadata) => {
        if (!hasRoom()) return false;
        const { codecString, width, height } = frame;
        const head = frameMessageHead({
          ...metadata,
          codec,
          ...(frame.keyFrame ? { codecString, width, height } : {}),
        });
        socket.send(Buffer.concat([head, frame.data]), { binary: true });
        return true;
      },
      sendMessage: (message: ServerMessage) => {
        if (!isOpen()) return;
        if (socket.bufferedAmount > MAX_BACKLOG_BYTES) this.#end(CLOSE_CODES.slow, "the client does not read");
        else socket.send(JSON.stringify(message));
      },
      close: (reason: ErrorRecord | undefined) =>
        this.#end(reason === undefined ? CLOSE_CODES.normal : CLOSE_CODES.ended, reason?.message ?? "closed"),
    };
  }

  #ping(): void {
    this.#deadline.set(PING_SECONDS, () => {
      if (!this.#isAlive) {
        this.#socket.terminate();
        return;
      }
      this.#isAlive = false;
      this.#socket.ping();
      this.#ping();
    });
  }

  #refuse(reason: string, error?: unknown): void {
    if (this.#inlet === undefined && error !== undefined && this.#socket.readyState === this.#socket.OPEN) {
      this.#socket.send(JSON.stringify(refusalOf(error)));
    }
    this.#end(CLOSE_CODES.protocol, reason);
  }

  #end(code: number, reason: string): void {
    this.#socket.close(code, closeReason(reason));
    terminateSoon(this.#socket);
  }
}

/** Cuts a socket that has not closed after a while. */
export function terminateSoon(socket: WebSocket): void {
  const timer = setTimeout(() => socket.terminate(), CLOSING_SECONDS * 1000);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}

/** What a socket is told that is not let in, before it is closed: the whole error, for which the reason of a close has no room. */
export function refusalOf(error: unknown): ControlResponse {
  return { type: "response", id: 0, ok: false, error: clientRecord(error) };
}

function isInput(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) && value.type === "input";
  } catch {
    return false;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "the first message is not valid JSON", { cause });
  }
}
