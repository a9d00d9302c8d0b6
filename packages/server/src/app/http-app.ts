import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { errorAnswer } from "../platform/http/error-answer.ts";
import type { RequestGate } from "../platform/http/request-gate.ts";
import { bearerOf, type HttpEnv } from "../platform/http/request-identity.ts";
import { securityHeaders } from "../platform/http/security-headers.ts";
import type { NoticeReporter } from "../platform/notices/notice-reporter.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import type { PlayerFile } from "./player-files.ts";

/** What an `httpApp` is made with. */
export interface HttpAppOptions {
  /** Checks every request. */
  readonly gate: RequestGate;
  /** Counts answers. */
  readonly metrics: Pick<ServerMetrics, "httpRequests">;
  /** Hears of refused origins. */
  readonly notices: NoticeReporter;
  /** Whether clients reach this server by TLS. */
  readonly isTls: boolean;
  /** The routes by the path below which they are; the order does not matter. */
  readonly routes: Readonly<Record<string, Hono<HttpEnv>>>;
  /** The files of the player page. */
  readonly player: ReadonlyMap<string, PlayerFile>;
}

/** Methods that change nothing. */
const SAFE_METHODS = ["GET", "HEAD", "OPTIONS"];

/** Makes the HTTP side of a server: checks and headers around the routes, and the player page. */
export function httpApp(options: HttpAppOptions): Hono<HttpEnv> {
  const { gate, metrics, isTls, routes, player } = options;
  const app = new Hono<HttpEnv>();

  app.use(async (c, next) => {
    await next();
    for (const [name, value] of securityHeaders({ isTls })) c.res.headers.set(name, value);
    allowOrigin(options, c);
    metrics.httpRequests.inc({ status: c.res.status });
  });
  app.use(async (c, next) => {
    if (!SAFE_METHODS.includes(c.req.method)) gate.checkOrigin(c.env.incoming, tokenOf(c));
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
  for (const [path, group] of Object.entries(routes)) app.route(path, group);
  app.get("*", (c) => {
    const file = player.get(c.req.path);
    if (file === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is nothing at this path");
    c.header("Content-Type", file.contentType);
    c.header("Cache-Control", file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache");
    return c.body(Uint8Array.from(file.bytes));
  });
  return app;
}

/** The token that a request carries: in its header, or in a WHEP path. */
function tokenOf(c: Context<HttpEnv>): string | undefined {
  return bearerOf(c) ?? /^\/whep\/([^/]+)/.exec(c.req.path)?.[1];
}

/** Listed pages of other origins may read answers; never any page, and never with cookies, since there are none. */
function allowOrigin({ gate, notices }: HttpAppOptions, c: Context<HttpEnv>): void {
  const origin = c.req.header("origin");
  if (origin === undefined) return;
  if (!gate.isAllowedOrigin(origin, c.req.header("host"))) {
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
