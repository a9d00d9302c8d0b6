import type { IceServer } from "node-datachannel";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { IceServerEntry } from "@dreamloop/protocol";

const ADDRESS = /^(stun|turn|turns):(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/i;
const DEFAULT_PORTS = { stun: 3478, turn: 3478, turns: 5349 } as const;

/** ICE servers in the form that the library takes; throws `invalid_value` for an address that is none. */
export function nativeIceServers(entries: readonly IceServerEntry[]): (string | IceServer)[] {
  return entries.flatMap(({ urls, username, credential }) =>
    (typeof urls === "string" ? [urls] : urls).map((url) => nativeIceServer(url, username, credential)),
  );
}

function nativeIceServer(url: string, username?: string, credential?: string): string | IceServer {
  const [, scheme, host, port, transport] = ADDRESS.exec(url) ?? [];
  if (scheme === undefined || host === undefined) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `ICE server ${JSON.stringify(url)}: expected stun:HOST[:PORT], turn:HOST[:PORT][?transport=udp|tcp] or turns:HOST[:PORT]`,
    );
  }
  const kind = scheme.toLowerCase() as keyof typeof DEFAULT_PORTS;
  const number = port === undefined ? DEFAULT_PORTS[kind] : Number(port);
  if (kind === "stun") return `stun:${host}:${number}`;
  return {
    hostname: host,
    port: number,
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { password: credential }),
    relayType: kind === "turns" ? "TurnTls" : transport === "tcp" ? "TurnTcp" : "TurnUdp",
  };
}
