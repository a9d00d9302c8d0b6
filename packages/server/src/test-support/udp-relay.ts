import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";

const LOOPBACK = "127.0.0.1";

/**
 * A way for UDP between a client and a server on loopback that can fall silent, as when a cable is pulled: nothing arrives any more on either side,
 * and nobody is told. The client goes through it because the candidates of the answer lead there; whoever made it closes it.
 */
export class UdpRelay {
  readonly #front: Socket;
  readonly #back: Socket;
  #serverPort = 0;
  #clientPort = 0;
  #isSilent = false;
  #forwarded = 0;

  private constructor(front: Socket, back: Socket) {
    this.#front = front;
    this.#back = back;
    front.on("message", (data, { port }) => {
      this.#clientPort = port;
      this.#forward(back, data, this.#serverPort);
    });
    back.on("message", (data, { port }) => {
      if (port === this.#serverPort) this.#forward(front, data, this.#clientPort);
    });
  }

  /** Opens both of its sides. */
  static async open(): Promise<UdpRelay> {
    const sockets = [createSocket("udp4"), createSocket("udp4")] as const;
    for (const socket of sockets) {
      socket.bind(0, LOOPBACK);
      await once(socket, "listening");
    }
    return new UdpRelay(...sockets);
  }

  /** Datagrams that went through. */
  get forwarded(): number {
    return this.#forwarded;
  }

  /** The answer of a server with its own address replaced by the relay's. */
  lead(answer: string): string {
    const { port } = this.#front.address();
    return answer.replace(/^(a=candidate:\S+ \d+ udp \d+ )127\.0\.0\.1 (\d+)/gim, (_, head: string, own: string) => {
      this.#serverPort = Number(own);
      return `${head}${LOOPBACK} ${port}`;
    });
  }

  /** From now on everything is lost. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Ends it. */
  close(): void {
    this.#front.close();
    this.#back.close();
  }

  #forward(socket: Socket, data: Buffer, port: number): void {
    if (this.#isSilent || port === 0) return;
    this.#forwarded += 1;
    socket.send(data, port, LOOPBACK);
  }
}
