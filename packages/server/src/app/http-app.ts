import { Hono, type Context } from "hono";
import { DREAMLOOP_VERSION, DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import {
  PROTOCOL_LIMITS,
  PROTOCOL_VERSION,
  TRANSPORTS,
  type ConfigAnswer,
  type WorldsAnswer,
} from "@dreamloop/protocol";
import { isLoopback } from "../platform/security/access-rules.ts";
import { errorAnswer } from "../platform/http/error-answer.ts";
import { bearerOf, tooManyRequests, type HttpEnv } from "../platform/http/request-identity.ts";
import { setSecurityHeaders } from "../platform/http/security-headers.ts";
import type { ServerContext } from "./server-context.ts";
import { sessionRoutes } from "./session-routes.ts";
import { uploadLimits, uploadRoutes } from "./uploads/upload-routes.ts";
import { whepRoutes } from "../transport/whep/whep-routes.ts";

/** Methods that change nothing. */
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Makes the HTTP side of a server. */
export function httpApp(context: ServerContext): Hono<HttpEnv> {
  const { config, metrics, clock, rates, identities } = context;
  const app = new Hono<HttpEnv>();

  app.use(async (c, next) => {
    await next();
    setSecurityHeaders(c.res.headers, { isTls: config.tlsCert !== undefined });
    allowOrigin(context, c);
    metrics.httpRequests.inc({ status: c.res.status });
  });
  app.use(async (c, next) => {
    if (!rates.take(identities.ofContext(c), clock.nowSeconds())) {
      throw tooManyRequests();
    }
    checkAccess(context, c);
    await next();
  });
  app.onError((error, c) => {
    const { status, body } = errorAnswer(error);
    if (body.retryAfterSeconds !== undefined) c.header("Retry-After", String(Math.ceil(body.retryAfterSeconds)));
    if (status === 401) c.header("WWW-Authenticate", "Bearer");
    return c.json(body, status as 400);
  });
  app.notFound((c) => {
    const { body } = errorAnswer(new DreamloopError(ERROR_CODES.notFound, "there is nothing at this path"));
    return c.json(body, 404);
  });

  app.options("*", (c) => c.body(null, 204));
  app.get("/healthz", (c) => c.json({ status: "alive" }));
  app.get("/readyz", (c) => {
    const { ready, reason } = context.registry.readiness;
    return c.json(
      { status: ready ? "ready" : "not ready", ...(reason === undefined ? {} : { reason }) },
      ready ? 200 : 503,
    );
  });
  app.get("/metrics", async (c) => {
    if (!context.access.isServerToken(bearerOf(c)))
      throw new DreamloopError(ERROR_CODES.unauthorized, "metrics need the server's token");
    c.header("Content-Type", metrics.registry.contentType);
    return c.body(await metrics.registry.metrics());
  });
  app.get("/api/worlds", (c) => {
    const answer: WorldsAnswer = { worlds: context.worlds.map((world) => context.shelf.summary(world)) };
    return c.json(answer);
  });
  app.get("/api/worlds/:id/poster", (c) => {
    const poster = context.worlds.find(({ id }) => id === c.req.param("id"))?.poster;
    if (poster === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no picture of such a world");
    const isThisOne = c.req.query("v") === poster.tag;
    c.header("Content-Type", poster.contentType);
    c.header("Cache-Control", isThisOne ? "public, max-age=31536000, immutable" : "no-cache");
    return c.body(Uint8Array.from(poster.bytes));
  });
  app.get("/api/config", (c) => c.json(configAnswer(context)));
  app.route("/api/sessions", sessionRoutes(context));
  app.route("/api/uploads", uploadRoutes(context));
  app.route("/whep", whepRoutes(context));
  app.get("*", (c) => {
    const file = context.player.get(c.req.path);
    if (file === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is nothing at this path");
    c.header("Content-Type", file.contentType);
    c.header("Cache-Control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
    return c.body(Uint8Array.from(file.bytes));
  });
  return app;
}

function configAnswer({ config, rtc, media }: ServerContext): ConfigAnswer {
  const hasRtc = rtc !== undefined && media.codecs.some((codec) => codec !== "jpeg");
  return {
    version: DREAMLOOP_VERSION,
    protocolVersion: PROTOCOL_VERSION,
    iceServers: config.iceServers,
    iceTransportPolicy: config.relayOnly ? "relay" : "all",
    transports: hasRtc ? [TRANSPORTS.webrtc, TRANSPORTS.websocket] : [TRANSPORTS.websocket],
    limits: PROTOCOL_LIMITS,
    authentication: config.token === undefined ? "none" : "token",
    recording: config.recording,
    uploads: uploadLimits(config),
  };
}

/** Host always; Origin on everything that changes something. */
function checkAccess(context: ServerContext, c: Context<HttpEnv>): void {
  const { access, config } = context;
  const host = c.req.header("host");
  access.checkHost({ host });
  if (SAFE_METHODS.includes(c.req.method)) return;
  const hasToken = isLoopback(config.host) || holdsToken(context, c);
  access.checkOrigin({ host, origin: c.req.header("origin"), hasToken });
}

/** Whether a request carries a token of this server: its own, a session's, or one in a WHEP path. */
function holdsToken({ access, tokens }: ServerContext, c: Context<HttpEnv>): boolean {
  const bearer = bearerOf(c) ?? /^\/whep\/([^/]+)/.exec(c.req.path)?.[1];
  if (bearer === undefined) return false;
  if (access.needsToken && access.isServerToken(bearer)) return true;
  try {
    tokens.read(bearer);
    return true;
  } catch (error) {
    if (isDreamloopError(error)) return false;
    throw error;
  }
}

/** Listed pages of other origins may read answers; never any page, and never with cookies, since there are none. */
function allowOrigin({ access, notices }: ServerContext, c: Context<HttpEnv>): void {
  const origin = c.req.header("origin");
  if (origin === undefined) return;
  if (!access.isAllowedOrigin(origin, c.req.header("host"))) {
    notices.note({ type: "origin_refused", origin });
    return;
  }
  const { headers } = c.res;
  headers.set("Access-Control-Allow-Origin", origin);
  headers.append("Vary", "Origin");
  headers.set("Access-Control-Expose-Headers", "Location, Link, Retry-After");
  headers.set("Cross-Origin-Resource-Policy", "cross-origin");
  if (c.req.method !== "OPTIONS") return;
  headers.set("Access-Control-Allow-Methods", "GET, POST, PATCH, DELETE");
  headers.set("Access-Control-Allow-Headers", "Authorization, Content-Type");
  headers.set("Access-Control-Max-Age", "600");
}
