import { Hono } from "hono";
import type { Registry } from "prom-client";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ConfigAnswer, WorldsAnswer } from "@dreamloop/protocol";
import { bearerOf, type HttpEnv } from "../platform/http/request-identity.ts";
import type { AccessRules } from "../platform/security/access-rules.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import type { ServedWorld } from "../worlds/served-world.ts";
import type { WorldPool } from "../worlds/world-pool.ts";

/** What `serverRoutes` are made with. */
export interface ServerRoutesOptions {
  /** Says whether a session can be admitted. */
  readonly registry: Pick<SessionRegistry, "readiness">;
  /** Checks the server's token. */
  readonly access: Pick<AccessRules, "isServerToken">;
  /** The counters of the server. */
  readonly counters: Registry;
  /** The worlds that are offered. */
  readonly worlds: readonly ServedWorld[];
  /** Says what is known of each. */
  readonly pool: Pick<WorldPool, "summary">;
  /** How clients may use this server. */
  readonly config: ConfigAnswer;
}

/** What a server says of itself: health, counters, worlds and how it may be used. */
export function serverRoutes({ registry, access, counters, worlds, pool, config }: ServerRoutesOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get("/healthz", (c) => c.json({ status: "alive" }));
  routes.get("/readyz", (c) => {
    const { ready, reason } = registry.readiness;
    return c.json(
      { status: ready ? "ready" : "not ready", ...(reason === undefined ? {} : { reason }) },
      ready ? 200 : 503,
    );
  });
  routes.get("/metrics", async (c) => {
    if (!access.isServerToken(bearerOf(c)))
      throw new DreamloopError(ERROR_CODES.unauthorized, "metrics need the server's token");
    c.header("Content-Type", counters.contentType);
    return c.body(await counters.metrics());
  });
  routes.get("/api/worlds", (c) => {
    const answer: WorldsAnswer = { worlds: worlds.map((world) => pool.summary(world)) };
    return c.json(answer);
  });
  routes.get("/api/worlds/:id/poster", (c) => {
    const poster = worlds.find(({ id }) => id === c.req.param("id"))?.poster;
    if (poster === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no picture of such a world");
    const isThisOne = c.req.query("v") === poster.tag;
    c.header("Content-Type", poster.contentType);
    c.header("Cache-Control", isThisOne ? "public, max-age=31536000, immutable" : "no-cache");
    return c.body(Uint8Array.from(poster.bytes));
  });
  routes.get("/api/config", (c) => c.json(config));
  return routes;
}
