import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";

/** A gate between a browser and a server, for pulling the plug. */
export interface TcpGate {
  /** Address on this side of the gate. */
  readonly url: string;
  /** Cuts everything that is open, and lets nothing through until `open`. */
  shut(): void;
  /** Lets connections through again. */
  open(): void;
  /** Ends it. */
  close(): Promise<void>;
}

/** Opens a gate to a port of this machine. */
export async function openTcpGate(targetPort: number): Promise<TcpGate> {
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server = createServer((incoming) => {
    if (!isOpen) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(targetPort, "127.0.0.1");
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shut: () => {
      isOpen = false;
      cut();
    },
    open: () => {
      isOpen = true;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
