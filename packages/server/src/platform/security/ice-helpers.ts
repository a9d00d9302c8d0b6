import { createHmac } from "node:crypto";
import type { IceServerEntry } from "@dreamloop/protocol";
import type { ServerConfig } from "../config/server-config.ts";

/**
 * The STUN and TURN servers of a server, for whoever may know them: everybody hears of STUN, and only those who were admitted to a session get what a TURN
 * server wants to see. With a secret that is shared with the TURN server, each gets credentials of its own that end with the longest session (the TURN REST
 * scheme, draft-uberti-behave-turn-rest).
 */
export class IceHelpers {
  readonly #config: Pick<ServerConfig, "iceServers" | "turnSecret" | "lifetimeSeconds">;
  readonly #nowMilliseconds: () => number;

  /** `nowMilliseconds` is the time of day, which both servers share; default the system's. */
  constructor(
    config: Pick<ServerConfig, "iceServers" | "turnSecret" | "lifetimeSeconds">,
    nowMilliseconds: () => number = Date.now,
  ) {
    this.#config = config;
    this.#nowMilliseconds = nowMilliseconds;
  }

  /** For anybody who asks: addresses of STUN servers only. */
  get forEveryone(): readonly IceServerEntry[] {
    return this.#config.iceServers.flatMap(({ urls }) => {
      const open = listOf(urls).filter((url) => !isTurn(url));
      return open.length === 0 ? [] : [{ urls: open.length === 1 ? (open[0] ?? "") : open }];
    });
  }

  /** For whoever was admitted to a session, and for this server itself; `name` tells the holders of short-lived credentials apart. */
  forAdmitted(name: string): readonly IceServerEntry[] {
    const { iceServers, turnSecret, lifetimeSeconds } = this.#config;
    if (turnSecret === undefined) return iceServers;
    const ends = Math.floor(this.#nowMilliseconds() / 1000 + lifetimeSeconds);
    const username = `${ends}:${name}`;
    const credential = createHmac("sha1", turnSecret).update(username).digest("base64");
    return iceServers.map((entry) => {
      const needsCredentials = entry.credential === undefined && listOf(entry.urls).some(isTurn);
      return needsCredentials ? { ...entry, username, credential } : entry;
    });
  }
}

function listOf(urls: string | readonly string[]): readonly string[] {
  return typeof urls === "string" ? [urls] : urls;
}

function isTurn(url: string): boolean {
  return /^turns?:/i.test(url);
}
