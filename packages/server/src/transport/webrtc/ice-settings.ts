import type { IceServer } from "node-datachannel";
import type { IceServerEntry } from "@dreamloop/protocol";
import { readIceUrl } from "../../platform/config/ice-url.ts";

/** ICE servers in the form that the library takes; throws `invalid_value` for an address that is none. */
export function nativeIceServers(entries: readonly IceServerEntry[]): (string | IceServer)[] {
  return entries.flatMap(({ urls, username, credential }) =>
    (typeof urls === "string" ? [urls] : urls).map((url) => nativeIceServer(url, username, credential)),
  );
}

function nativeIceServer(url: string, username?: string, credential?: string): string | IceServer {
  const { scheme, host, port, transport } = readIceUrl(url);
  if (scheme === "stun") return `stun:${host}:${port}`;
  return {
    hostname: host,
    port,
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { password: credential }),
    relayType: scheme === "turns" ? "TurnTls" : transport === "tcp" ? "TurnTcp" : "TurnUdp",
  };
}
