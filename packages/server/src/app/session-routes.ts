import { Readable } from "node:stream";
import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import {
  PROTOCOL_LIMITS,
  readCandidates,
  readCreateSessionRequest,
  readOffer,
  readResumeRequest,
  type SessionAnswer,
} from "@dreamloop/protocol";
import { recordingFile } from "../recordings/recording-file.ts";
import { SESSION_ROLES, type SessionRole } from "../platform/security/session-token.ts";
import type { LiveSession } from "../session/live-session.ts";
import { sessionFacts } from "../session/session-facts.ts";
import { uploadedPictures, forgetPictures } from "../session/session-pictures.ts";
import { answerOffer } from "../transport/webrtc/rtc-connection.ts";
import { CandidateBuffer } from "../transport/webrtc/candidate-buffer.ts";
import { readJson } from "../platform/http/read-body.ts";
import { bearerOf, type HttpEnv } from "../platform/http/request-identity.ts";
import type { ServerContext } from "./server-context.ts";

const { httpBodyBytes } = PROTOCOL_LIMITS;

/** The routes below `/api/sessions`. */
export function sessionRoutes(context: ServerContext): Hono<HttpEnv> {
  const { registry, tokens, access, metrics, uploads } = context;
  const candidateBuffer = new CandidateBuffer();
  const routes = new Hono<HttpEnv>();

  const authorized = (c: Context<HttpEnv>, role: SessionRole, options: { readonly query?: boolean } = {}): string => {
    const claims = tokens.read(bearerOf(c, options) ?? "");
    if (claims.sessionId !== c.req.param("id"))
      throw new DreamloopError(ERROR_CODES.unauthorized, "the token is of another session");
    if (role === SESSION_ROLES.player && claims.role !== SESSION_ROLES.player)
      throw new DreamloopError(ERROR_CODES.unauthorized, "this needs the player's token");
    return claims.sessionId;
  };

  routes.post("/", async (c) => {
    if (!access.isServerToken(bearerOf(c)))
      throw new DreamloopError(ERROR_CODES.unauthorized, "starting a session needs the server's token");
    try {
      const request = readCreateSessionRequest(await readJson(c.req.raw, httpBodyBytes));
      const identity = context.identities.ofContext(c);
      const pictures = uploadedPictures(uploads.shelf, request, identity);
      const session = registry.create(request, identity, pictures);
      forgetPictures(uploads.shelf, request);
      return c.json(sessionAnswer(context, session), 201);
    } catch (error) {
      metrics.sessionsRefused.inc({ code: isDreamloopError(error) ? error.code : ERROR_CODES.internal });
      throw error;
    }
  });

  routes.get("/:id", (c) => c.json(sessionFacts(registry.find(authorized(c, SESSION_ROLES.viewer)))));

  routes.delete("/:id", async (c) => {
    const session = registry.find(authorized(c, SESSION_ROLES.player));
    void session.close("asked");
    return c.body(null, 204);
  });

  routes.post("/:id/offer", async (c) => {
    const session = registry.find(authorized(c, SESSION_ROLES.player));
    const { sdp } = readOffer(await readJson(c.req.raw, httpBodyBytes));
    const candidates = candidateBuffer.take(session);
    const answer = await answerOffer(context, { session, role: SESSION_ROLES.player, sdp, candidates });
    candidateBuffer.open(session, answer.connection);
    return c.json({ type: "answer", sdp: answer.sdp, epoch: answer.connection.epoch });
  });

  routes.post("/:id/candidates", async (c) => {
    const session = registry.find(authorized(c, SESSION_ROLES.player));
    candidateBuffer.add(session, readCandidates(await readJson(c.req.raw, httpBodyBytes)));
    return c.body(null, 204);
  });

  routes.post("/:id/resume", async (c) => {
    const { resumeSecret } = readResumeRequest(await readJson(c.req.raw, httpBodyBytes));
    const session = registry.resume(c.req.param("id"), resumeSecret);
    return c.json(sessionAnswer(context, session));
  });

  routes.get("/:id/log", (c) => {
    const { log } = registry.findWithRecordings(authorized(c, SESSION_ROLES.player));
    return c.json({ entries: log.entries, droppedEntries: log.droppedEntries });
  });

  routes.get("/:id/recordings/:recordingId/:file", async (c) => {
    const session = registry.findWithRecordings(authorized(c, SESSION_ROLES.player, { query: true }));
    const recording = session.run?.recordings?.find(c.req.param("recordingId"));
    const file = recording === undefined ? undefined : await recordingFile(recording, c.req.param("file"));
    if (file === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no such recording");
    return new Response(Readable.toWeb(file.stream) as ReadableStream, {
      headers: {
        "Content-Type": file.type,
        "Content-Length": String(file.bytes),
        "Content-Disposition": `attachment; filename="dreamloop-${file.name}"`,
        "Cache-Control": "no-store",
      },
    });
  });

  return routes;
}

/** The answer that lets a player use its session; its token is new each time. */
export function sessionAnswer(context: ServerContext, session: LiveSession): SessionAnswer {
  const { tokens, config, shelf } = context;
  const { id: sessionId } = session;
  const description = session.run?.description;
  return {
    sessionId,
    token: tokens.issue({ sessionId, role: SESSION_ROLES.player, seconds: config.tokenSeconds }),
    tokenSeconds: config.tokenSeconds,
    resumeSecret: session.resumeSecret,
    viewerToken: tokens.issue({ sessionId, role: SESSION_ROLES.viewer, seconds: config.lifetimeSeconds }),
    epoch: session.epoch + 1,
    ...(description === undefined ? {} : { description }),
    state: session.status.state,
    world: shelf.summary(session.order.world),
    iceServers: config.iceServers,
    iceTransportPolicy: config.relayOnly ? "relay" : "all",
    websocketPath: `/api/sessions/${sessionId}/socket`,
  };
}
