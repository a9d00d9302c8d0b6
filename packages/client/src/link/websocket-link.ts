import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorFromRecord } from "@dreamloop/core/internal";
import {
  PROTOCOL_VERSION,
  readFrameMessage,
  type FrameCodec,
  type HelloMessage,
  type WelcomeMessage,
} from "@dreamloop/protocol";
import { PacketDecoder } from "./packet-decoder.ts";
import type { ClientEnvironment } from "../browser/client-environment.ts";
import { readMessageValue, readServerMessage } from "../wire/read-message.ts";
import type { Link, LinkHandlers } from "./link.ts";

/** The code with which the server closes a socket for good; a new attempt would end the same way. */
const FINAL_CLOSE_CODE = 4410;

/** Bytes that may wait in the socket before input messages are held back; the next one says it all. */
const INPUT_BACKLOG_BYTES = 65_536;

/** What a WebSocket link is opened with. */
export interface WebSocketOrder {
  /** Address with the token. */
  readonly url: string;
  /** Makes the socket. */
  readonly environment: Pick<ClientEnvironment, "createSocket">;
  /** Codecs that can be decoded here, best first. */
  readonly decoders: readonly FrameCodec[];
  /** Who hears of it. */
  readonly handlers: LinkHandlers;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Opens a link by WebSocket: text both ways, encoded frames towards the client. Resolves after the server's welcome. */
export async function openWebSocketLink(order: WebSocketOrder): Promise<Link> {
  const { url, environment, decoders, handlers, signal } = order;
  const socket = environment.createSocket(url);
  socket.binaryType = "arraybuffer";
  const link = new WebSocketLink(socket, decoders, handlers);
  const abort = (): void => link.close();
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    await link.opened;
    return link;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

class WebSocketLink implements Link {
  readonly kind = "websocket" as const;
  readonly isReliable = true;
  readonly opened: Promise<void>;
  readonly source: PacketDecoder;
  readonly #socket: WebSocket;
  readonly #handlers: LinkHandlers;
  #welcome: WelcomeMessage | undefined;
  #refusal: DreamloopError | undefined;
  #isClosed = false;
  #requestId = -1;

  constructor(socket: WebSocket, decoders: readonly FrameCodec[], handlers: LinkHandlers) {
    this.#socket = socket;
    this.#handlers = handlers;
    this.source = new PacketDecoder({
      onKeyFrameNeeded: () => this.#askForKeyFrame(),
      onFailed: () => {
        if (!this.#isClosed) handlers.onPictureFailed();
      },
    });
    this.opened = this.#watch(decoders);
  }

  get codec(): FrameCodec | undefined {
    return this.#welcome?.codec;
  }

  get epoch(): number {
    return this.#welcome?.epoch ?? 0;
  }

  sendInput(message: string): void {
    if (this.#socket.readyState === 1 && this.#socket.bufferedAmount <= INPUT_BACKLOG_BYTES) this.#socket.send(message);
  }

  sendControl(message: string): void {
    if (this.#socket.readyState === 1) this.#socket.send(message);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.source.close();
    this.#socket.close(1000);
  }

  #watch(decoders: readonly FrameCodec[]): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve, reject) => {
      const lose = (reason: DreamloopError): void => {
        if (this.#isClosed) {
          reject(reason);
          return;
        }
        this.close();
        reject(reason);
        this.#handlers.onClosed(reason);
      };
      socket.addEventListener("open", () => {
        const hello: HelloMessage = { type: "hello", version: PROTOCOL_VERSION, decoders };
        socket.send(JSON.stringify(hello));
      });
      socket.addEventListener("message", ({ data }) => {
        if (this.#isClosed) return;
        if (typeof data !== "string") {
          this.#readFrame(data as ArrayBuffer);
          return;
        }
        const message = readServerMessage(data);
        if (message?.type === "welcome") {
          this.#welcome = message;
          resolve();
        } else if (this.#welcome === undefined && message?.type === "response" && !message.ok) {
          // The whole error comes before the close, whose reason has no room for it.
          this.#refusal = errorFromRecord(message.error);
        } else if (message !== undefined) this.#handlers.onMessage(message);
      });
      socket.addEventListener("close", ({ code, reason }) => lose(this.#refusal ?? closeError(code, reason)));
    });
  }

  #readFrame(data: ArrayBuffer): void {
    const packet = readFrameMessage(new Uint8Array(data));
    const message = readMessageValue(packet.header);
    if (message?.type !== "frame") return;
    this.#handlers.onMessage(message);
    this.source.push(packet);
  }

  #askForKeyFrame(): void {
    // Answered with a key frame; the response itself interests nobody, so that its id stays out of the others' way.
    this.sendControl(
      JSON.stringify({ type: "request", id: 2 ** 40 - this.#requestId--, method: "key_frame", params: {} }),
    );
  }
}

function closeError(code: number, reason: string): DreamloopError {
  if (code === FINAL_CLOSE_CODE) {
    return new DreamloopError(ERROR_CODES.closed, reason === "" ? "the session is over for this page" : reason);
  }
  const why = reason === "" ? "" : `: ${reason}`;
  return new DreamloopError(ERROR_CODES.unavailable, `the connection to the server was lost (code ${code})${why}`, {
    retryable: true,
  });
}
