import { createServer } from "node:net";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** The address at which the ranks of a world meet: this machine alone. */
const MASTER_ADDRESS = "127.0.0.1";

/** A port of the loopback address that nobody listens on at this moment. */
export function freeLoopbackPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error) =>
      reject(new DreamloopError(ERROR_CODES.unavailable, `no port of ${MASTER_ADDRESS} is free: ${error.message}`)),
    );
    server.listen({ host: MASTER_ADDRESS, port: 0 }, () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/**
 * The variables by which the processes of one world find each other, as torchrun sets them: `RANK`, `WORLD_SIZE`, `LOCAL_RANK`, `LOCAL_WORLD_SIZE`,
 * `MASTER_ADDR`, `MASTER_PORT` and those that go with them. `GLOO_SOCKET_IFNAME` makes Gloo use the loopback interface; otherwise it would look up the machine's name.
 */
export function rankEnvironment(given: {
  /** Which process it is. */
  readonly rank: number;
  /** How many there are. */
  readonly ranks: number;
  /** The port at which they meet. */
  readonly port: number;
  /** The system; default this one. */
  readonly platform?: NodeJS.Platform;
}): Readonly<Record<string, string>> {
  const { rank, ranks, port, platform = process.platform } = given;
  const loopback = platform === "linux" ? "lo" : platform === "darwin" ? "lo0" : undefined;
  return {
    RANK: `${rank}`,
    LOCAL_RANK: `${rank}`,
    ROLE_RANK: `${rank}`,
    GROUP_RANK: "0",
    WORLD_SIZE: `${ranks}`,
    LOCAL_WORLD_SIZE: `${ranks}`,
    ROLE_WORLD_SIZE: `${ranks}`,
    MASTER_ADDR: MASTER_ADDRESS,
    MASTER_PORT: `${port}`,
    ...(loopback === undefined ? {} : { GLOO_SOCKET_IFNAME: loopback }),
  };
}
