import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** The parts of the address of a STUN or TURN server. */
export interface IceUrl {
  /** What it speaks. */
  readonly scheme: "stun" | "turn" | "turns";
  /** Its name or address; IPv6 in brackets. */
  readonly host: string;
  /** Its port, also where the address leaves it out. */
  readonly port: number;
  /** How it is reached; default UDP, for `turns` TCP. */
  readonly transport?: "udp" | "tcp";
}

const ADDRESS = /^(stun|turn|turns):(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/i;
const DEFAULT_PORTS = { stun: 3478, turn: 3478, turns: 5349 } as const;
const MAX_PORT = 65_535;

/** Reads the address of a STUN or TURN server (RFC 7064, RFC 7065); throws `invalid_value` for anything else. */
export function readIceUrl(url: string, path = "ICE server"): IceUrl {
  const [, given, host, port, transport] = ADDRESS.exec(url) ?? [];
  const scheme = given?.toLowerCase() as IceUrl["scheme"] | undefined;
  const number = scheme === undefined || port === undefined ? undefined : Number(port);
  if (scheme === undefined || host === undefined || number === 0 || (number ?? 0) > MAX_PORT) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${path}: expected stun:HOST[:PORT], turn:HOST[:PORT][?transport=udp|tcp] or turns:HOST[:PORT], found ${JSON.stringify(url.slice(0, 100))}`,
    );
  }
  return {
    scheme,
    host,
    port: number ?? DEFAULT_PORTS[scheme],
    ...(transport === undefined ? {} : { transport: transport.toLowerCase() as "udp" | "tcp" }),
  };
}
