import { WebSocket } from "ws";
import {
  PROTOCOL_VERSION,
  readFrameMessage,
  type ControlMethod,
  type ControlResponse,
  type DeviceState,
  type FrameCodec,
  type FrameHeader,
  type ServerMessage,
  type SessionAnswer,
  type WelcomeMessage,
} from "@dreamloop/protocol";
import { until, type TestServer } from "./test-server.ts";

/** A client on the WebSocket that keeps what it is sent. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly frames: { readonly header: FrameHeader; readonly payload: Uint8Array }[] = [];
  readonly messages: ServerMessage[] = [];
  closeCode: number | undefined;
  #requestId = 0;
  #sequence = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.frames.push(readFrameMessage(data));
      else this.messages.push(JSON.parse(data.toString()) as ServerMessage);
    });
    socket.on("close", (code) => (this.closeCode = code));
    socket.on("error", () => undefined);
  }

  /** Opens the socket of a session; says hello unless told otherwise. */
  static async open(
    server: TestServer,
    session: Pick<SessionAnswer, "websocketPath" | "token">,
    options: {
      readonly decoders?: readonly FrameCodec[];
      readonly hello?: boolean;
      readonly headers?: Record<string, string>;
    } = {},
  ): Promise<SocketClient> {
    const { decoders = ["h264"], hello = true, headers = {} } = options;
    const url = `${server.url.replace(/^http/, "ws")}${session.websocketPath.slice(1)}?token=${session.token}`;
    const socket = new WebSocket(url, { headers });
    const client = new SocketClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    if (hello) {
      client.sendText({ type: "hello", version: PROTOCOL_VERSION, decoders });
      await until(() => client.welcome !== undefined || client.closeCode !== undefined, "the server answers the hello");
    }
    return client;
  }

  get welcome(): WelcomeMessage | undefined {
    return this.messages.find((message) => message.type === "welcome");
  }

  sendText(value: unknown): void {
    this.socket.send(typeof value === "string" ? value : JSON.stringify(value));
  }

  /** Sends the state of devices as the next input message; gives its number. */
  input(states: readonly DeviceState[], changes: Readonly<Record<string, unknown>> = {}): number {
    this.#sequence += 1;
    this.sendText({
      type: "input",
      version: PROTOCOL_VERSION,
      sequence: this.#sequence,
      epoch: this.welcome?.epoch ?? 0,
      states,
      ...changes,
    });
    return this.#sequence;
  }

  /** Sends a request and resolves with its response. */
  async request(
    method: ControlMethod | (string & {}),
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<ControlResponse> {
    this.#requestId += 1;
    const id = this.#requestId;
    this.sendText({ type: "request", id, method, params });
    const find = (): ControlResponse | undefined =>
      this.messages.find((message): message is ControlResponse => message.type === "response" && message.id === id);
    await until(() => find() !== undefined, `the server answers ${method}`);
    return find() as ControlResponse;
  }

  async close(): Promise<void> {
    this.socket.close();
    await until(() => this.closeCode !== undefined, "the socket is closed");
  }
}

/** The state of a keyboard. */
export function keys(codes: readonly string[], pressCounts: Readonly<Record<string, number>>): DeviceState {
  return { eventType: "keys_state", payload: { codes, pressCounts, epoch: 0 } };
}
