import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";
import { newSecret } from "../../platform/security/secrets.ts";
import { SESSION_ROLES } from "../../platform/security/session-token.ts";
import type { Connection } from "../../viewers/connection.ts";
import type { LiveSession } from "../../session/live-session.ts";
import { answerOffer } from "../webrtc/rtc-connection.ts";
import { readText } from "../../platform/http/read-body.ts";
import type { HttpEnv } from "../../platform/http/request-identity.ts";
import type { ServerContext } from "../../app/server-context.ts";

/** Viewers by WHEP (draft-ietf-wish-whep): receive only, one POST each, with the token of the session's link in the path. */
export function whepRoutes(context: ServerContext): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  // All viewers of a session have the same link, so that each needs a name of its own that the others cannot guess.
  const names = new WeakMap<Connection, string>();

  routes.post("/:token", async (c) => {
    requireType(c, "application/sdp");
    const session = sessionOf(context, c.req.param("token"));
    const sdp = await readText(c.req.raw, PROTOCOL_LIMITS.sdpLength);
    const answer = await answerOffer(context, { session, role: SESSION_ROLES.viewer, sdp, candidates: [] });
    const name = newSecret();
    names.set(answer.connection, name);
    c.header("Location", `/whep/${c.req.param("token")}/${name}`);
    for (const link of iceLinks(context)) c.header("Link", link, { append: true });
    c.header("Content-Type", "application/sdp");
    return c.body(answer.sdp, 201);
  });

  routes.patch("/:token/:connection", async (c) => {
    requireType(c, "application/trickle-ice-sdpfrag");
    const connection = connectionOf(context, names, c);
    const fragment = await readText(c.req.raw, PROTOCOL_LIMITS.sdpLength);
    connection.outlet.addCandidates?.(candidatesOf(fragment));
    return c.body(null, 204);
  });

  routes.delete("/:token/:connection", (c) => {
    connectionOf(context, names, c).close();
    return c.body(null, 200);
  });

  return routes;
}

function sessionOf({ tokens, registry }: ServerContext, token: string): LiveSession {
  return registry.find(tokens.read(token).sessionId);
}

function connectionOf(context: ServerContext, names: WeakMap<Connection, string>, c: Context<HttpEnv>): Connection {
  const session = sessionOf(context, c.req.param("token") ?? "");
  const connection = [...session.connections].find((each) => names.get(each) === c.req.param("connection"));
  if (connection !== undefined) return connection;
  throw new DreamloopError(ERROR_CODES.notFound, "there is no such viewer; it may have left");
}

function requireType(c: Context<HttpEnv>, type: string): void {
  const found = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (found === type) return;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `Content-Type: expected ${type}, found ${JSON.stringify((found ?? "").slice(0, 100))}`,
    { details: { status: 415 } },
  );
}

function candidatesOf(fragment: string): IceCandidate[] {
  let sdpMid: string | undefined;
  const candidates: IceCandidate[] = [];
  for (const line of fragment.split(/\r\n|\n/)) {
    if (line.startsWith("a=mid:")) sdpMid = line.slice(6).trim();
    else if (line.startsWith("a=candidate:")) {
      candidates.push({ candidate: line.slice(2), ...(sdpMid === undefined ? {} : { sdpMid }) });
    }
  }
  return candidates;
}

function iceLinks({ config }: ServerContext): string[] {
  return config.iceServers.flatMap(({ urls, username, credential }) =>
    (typeof urls === "string" ? [urls] : urls).map((url) => {
      const secret =
        username === undefined || credential === undefined
          ? ""
          : `; username=${JSON.stringify(username)}; credential=${JSON.stringify(credential)}; credential-type="password"`;
      return `<${url}>; rel="ice-server"${secret}`;
    }),
  );
}
