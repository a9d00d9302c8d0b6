import { isIP } from "node:net";
import proxyAddr from "proxy-addr";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { listOf, optional, shape, text, type Reader } from "@dreamloop/core/internal";
import type { IceServerEntry } from "@dreamloop/protocol";
import { readIceUrl } from "./ice-url.ts";

const name = text({ maxLength: 300 });

const iceUrl: Reader<string> = (value, at) => {
  const given = name(value, at);
  readIceUrl(given, at);
  return given;
};

/** Reads another name of a server, as it stands in a Host header: no address with a scheme, no port, no wildcard. */
export const hostName: Reader<string> = (value, at) => {
  const given = name(value, at);
  if (/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/i.test(given)) return given;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${at}: expected a name such as play.example.org (no scheme, no port, no wildcard), found ${JSON.stringify(given)}`,
  );
};

/** Reads a STUN or TURN server. */
export const iceServer = shape<IceServerEntry>({
  urls: (value, at) => (typeof value === "string" ? iceUrl(value, at) : listOf(iceUrl, { min: 1, max: 8 })(value, at)),
  username: optional(name),
  credential: optional(text({ maxLength: 1000 })),
});

/** Reads the origin of a page: no path, no wildcard. */
export const origin: Reader<string> = (value, at) => {
  const given = name(value, at);
  if (/^https?:\/\/[^/\s*]+$/i.test(given)) return given;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${at}: expected an origin such as https://example.org (no path, no wildcard), found ${JSON.stringify(given)}`,
  );
};

/** Names that stand for ranges of addresses. */
const RANGE_NAMES = ["loopback", "linklocal", "uniquelocal"];

/** Reads a trusted proxy: an address, a range, or a name of ranges. */
export const trustedProxy: Reader<string> = (value, at) => {
  const given = name(value, at);
  if (RANGE_NAMES.includes(given) || isRange(given)) return given;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${at}: expected an address, a range such as 10.0.0.0/8, or one of ${RANGE_NAMES.join(", ")}; found ${JSON.stringify(given)}`,
  );
};

function isRange(given: string): boolean {
  const [address = ""] = given.split("/");
  // The library takes plain numbers for addresses.
  if (isIP(address) === 0) return false;
  try {
    proxyAddr.compile(given);
    return true;
  } catch {
    return false;
  }
}
