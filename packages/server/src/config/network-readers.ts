import { DreamloopError, ERROR_CODES, listOf, optional, shape, text, type Reader } from "@dreamloop/core";
import type { IceServerEntry } from "@dreamloop/protocol";

const name = text({ maxLength: 300 });

/** Reads a STUN or TURN server. */
export const iceServer = shape<IceServerEntry>({
  urls: (value, at) => (typeof value === "string" ? name(value, at) : listOf(name, { min: 1, max: 8 })(value, at)),
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
