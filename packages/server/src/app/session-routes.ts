import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { MOMENT_EXTENSION, MOMENT_MEDIA_TYPE } from "@dreamloop/core/internal";
import {
  type FrameCodec,
  PROTOCOL_LIMITS,
  readCandidates,
  readCreateSessionRequest,
  readForkSessionRequest,
  readOffer,
  readResumeRequest,
  readSaveMomentRequest,
} from "@dreamloop/protocol";
import { recordingFile } from "../recordings/recording-file.ts";
import { fileAnswer } from "./file-answer.ts";
import type { AccessRules } from "../platform/security/access-rules.ts";
import { SESSION_ROLES, type SessionRole, type TokenSigner } from "../platform/security/session-token.ts";
import type { ServerMetrics } from "../platform/server-metrics.ts";
import { sessionFacts } from "../session/session-facts.ts";
import type { SessionRegistry } from "../session/session-registry.ts";
import type { ServerTransport } from "../transport/outlet/server-transport.ts";
import type { RtcAnswerer } from "../transport/webrtc/rtc-answerer.ts";
import { CandidateBuffer } from "../transport/webrtc/candidate-buffer.ts";
import { readBytes, readJson } from "../platform/http/read-body.ts";
import { bearerOf, type HttpEnv, type RequestIdentities } from "../platform/http/request-identity.ts";
import type { StartMoments } from "./start-moments.ts";
import { sessionAnswer, type SessionAnswerSources } from "./session-answer.ts";
import type { PendingUploads } from "./uploads/pending-uploads.ts";

const { httpBodyBytes } = PROTOCOL_LIMITS;

/** What `sessionRoutes` are made with. */
export interface SessionRoutesOptions {
  /** The sessions. */
  readonly registry: Pick<SessionRegistry, "create" | "find" | "findWithRecordings" | "resume">;
  /** Reads the tokens of sessions. */
  readonly tokens: TokenSigner;
  /** Checks the server's token. */
  readonly access: Pick<AccessRules, "isServerToken">;
  /** Who asks. */
  readonly identities: RequestIdentities;
  /** Counts refusals. */
  readonly metrics: Pick<ServerMetrics, "sessionsRefused">;
  /** Pictures that sessions start from. */
  readonly pictures: PendingUploads;
  /** Moments that sessions start from. */
  readonly moments: StartMoments;
  /** Answers offers. */
  readonly rtc: RtcAnswerer;
  /** Further transports. */
  readonly transports: readonly ServerTransport[];
  /** What this server encodes. */
  readonly codecs: readonly FrameCodec[];
  /** Makes what a player gets. */
  readonly answers: SessionAnswerSources;
}

/** The routes below `/api/sessions`. */
export function sessionRoutes(options: SessionRoutesOptions): Hono<HttpEnv> {
  const { registry, tokens, access, identities, metrics, pictures, moments, rtc, answers, transports, codecs } =
    options;
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
      const identity = identities.ofContext(c);
      const session = registry.create(request, identity, {
        pictures: pictures.picturesOf(request, identity),
        ...(request.moment === undefined ? {} : { moment: await moments.ready(request.moment) }),
      });
      pictures.forgetPicturesOf(request);
      return c.json(sessionAnswer(answers, session), 201);
    } catch (error) {
      metrics.sessionsRefused.inc({ code: isDreamloopError(error) ? error.code : ERROR_CODES.internal });
      throw error;
    }
  });

  routes.post("/moment", async (c) => {
    if (!access.isServerToken(bearerOf(c)))
      throw new DreamloopError(ERROR_CODES.unauthorized, "starting a session needs the server's token");
    try {
      const file = await readBytes(c.req.raw, { maxBytes: moments.maxBytes, what: "the moment" });
      const moment = await moments.open(new Uint8Array(file));
      const request = { world: moments.worldOf(moment) };
      return c.json(sessionAnswer(answers, registry.create(request, identities.ofContext(c), { moment })), 201);
    } catch (error) {
      metrics.sessionsRefused.inc({ code: isDreamloopError(error) ? error.code : ERROR_CODES.internal });
      c.header("Connection", "close");
      throw error;
    }
  });

  routes.post("/:id/fork", async (c) => {
    const origin = registry.find(authorized(c, SESSION_ROLES.player));
    const { at, seed, prompt } = readForkSessionRequest(await readJson(c.req.raw, httpBodyBytes));
    try {
      const place = at === undefined ? {} : { at };
      const moment = await moments.open(await origin.running.hosted.moment({ ...place, isFork: true }));
      const { world, ...order } = origin.order;
      const request = {
        world: world.id,
        ...order,
        ...(seed === undefined ? {} : { seed }),
        ...(prompt === undefined ? {} : { prompt }),
      };
      return c.json(sessionAnswer(answers, registry.create(request, identities.ofContext(c), { moment })), 201);
    } catch (error) {
      metrics.sessionsRefused.inc({ code: isDreamloopError(error) ? error.code : ERROR_CODES.internal });
      throw error;
    }
  });

  routes.post("/:id/moment", async (c) => {
    const session = registry.find(authorized(c, SESSION_ROLES.player));
    const { at, name } = readSaveMomentRequest(await readJson(c.req.raw, httpBodyBytes));
    const extras = { savedAt: new Date().toISOString(), ...(name === undefined ? {} : { name }) };
    const file = await session.running.hosted.moment({ ...(at === undefined ? {} : { at }), extras });
    return new Response(new Uint8Array(file), {
      headers: {
        "Content-Type": MOMENT_MEDIA_TYPE,
        "Content-Disposition": `attachment; filename="moment${MOMENT_EXTENSION}"`,
        "Cache-Control": "no-store",
      },
    });
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
    const answer = await rtc.answer({ session, role: SESSION_ROLES.player, sdp, candidates });
    candidateBuffer.open(session, answer.inlet);
    return c.json({ type: "answer", sdp: answer.sdp, epoch: answer.inlet.epoch });
  });

  routes.post("/:id/candidates", async (c) => {
    const session = registry.find(authorized(c, SESSION_ROLES.player));
    candidateBuffer.add(session, readCandidates(await readJson(c.req.raw, httpBodyBytes)));
    return c.body(null, 204);
  });

  routes.post("/:id/resume", async (c) => {
    const { resumeSecret } = readResumeRequest(await readJson(c.req.raw, httpBodyBytes));
    const session = registry.resume(c.req.param("id"), resumeSecret);
    return c.json(sessionAnswer(answers, session));
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
    return fileAnswer(c.req.raw, file);
  });

  routes.all("/:id/transports/:transport", (c) => {
    const sessionId = authorized(c, SESSION_ROLES.viewer, { query: true });
    const { role } = tokens.read(bearerOf(c, { query: true }) ?? "");
    const transport = transports.find(({ name }) => name === c.req.param("transport"));
    if (transport === undefined) throw new DreamloopError(ERROR_CODES.notFound, "there is no such transport");
    return transport.answer(c.req.raw, { session: registry.find(sessionId), role, codecs });
  });

  return routes;
}
