import { Hono, type Context } from "hono";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate, type IceServerEntry } from "@dreamloop/protocol";
import { readText } from "../../platform/http/read-body.ts";
import type { HttpEnv } from "../../platform/http/request-identity.ts";
import type { IceHelpers } from "../../platform/security/ice-helpers.ts";
import { newSecret } from "../../platform/security/secrets.ts";
import { SESSION_ROLES, type TokenSigner } from "../../platform/security/session-token.ts";
import type { Inlet, TransportSession } from "../outlet/outlet.ts";
import type { RtcAnswerer } from "../webrtc/rtc-answerer.ts";

/** What `whepRoutes` are made with. */
export interface WhepRoutesOptions {
  /** Reads the tokens of sessions. */
  readonly tokens: TokenSigner;
  /** Finds sessions; throws `closed` for one that has ended, `not_found` for any other. */
  readonly sessions: { find(sessionId: string): TransportSession };
  /** Answers offers. */
  readonly rtc: RtcAnswerer;
  /** Helpers that viewers may use. */
  readonly helpers: IceHelpers;
}

/** The viewers of a session by the names that they got; each goes with its connection. */
type ViewerNames = WeakMap<TransportSession, Map<string, Inlet>>;

/** Viewers by WHEP (draft-ietf-wish-whep): receive only, one POST each, with the token of the session's link in the path. */
export function whepRoutes({ tokens, sessions, rtc, helpers }: WhepRoutesOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  // All viewers of a session have the same link, so that each needs a name of its own that the others cannot guess.
  const names: ViewerNames = new WeakMap();
  const sessionOf = (token = ""): TransportSession => sessions.find(tokens.read(token).sessionId);
  const viewerOf = (c: Context<HttpEnv>): Inlet => {
    const inlet = names.get(sessionOf(c.req.param("token")))?.get(c.req.param("viewer") ?? "");
    if (inlet !== undefined) return inlet;
    throw new DreamloopError(ERROR_CODES.notFound, "there is no such viewer; it may have left");
  };

  routes.post("/:token", async (c) => {
    requireType(c, "application/sdp");
    const session = sessionOf(c.req.param("token"));
    const sdp = await readText(c.req.raw, PROTOCOL_LIMITS.sdpLength);
    const { inlet, lost, ...answer } = await rtc.answer({ session, role: SESSION_ROLES.viewer, sdp, candidates: [] });
    const name = newSecret();
    const viewers = names.get(session) ?? new Map<string, Inlet>();
    names.set(session, viewers.set(name, inlet));
    lost.addEventListener("abort", () => viewers.delete(name), { once: true });
    // Relative to the address that was asked, so that it holds behind a proxy that adds a path of its own.
    c.header("Location", `${c.req.param("token")}/${name}`);
    for (const link of iceLinks(helpers.forAdmitted("viewer"))) c.header("Link", link, { append: true });
    c.header("Content-Type", "application/sdp");
    return c.body(withoutOtherMedia(answer.sdp), 201);
  });

  routes.patch("/:token/:viewer", async (c) => {
    requireType(c, "application/trickle-ice-sdpfrag");
    const viewer = viewerOf(c);
    viewer.addCandidates(candidatesOf(await readText(c.req.raw, PROTOCOL_LIMITS.sdpLength)));
    return c.body(null, 204);
  });

  routes.delete("/:token/:viewer", (c) => {
    viewerOf(c).close();
    return c.body(null, 200);
  });

  return routes;
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

function iceLinks(iceServers: readonly IceServerEntry[]): string[] {
  return iceServers.flatMap(({ urls, username, credential }) =>
    (typeof urls === "string" ? [urls] : urls).map((url) => {
      const secret =
        username === undefined || credential === undefined
          ? ""
          : `; username=${JSON.stringify(username)}; credential=${JSON.stringify(credential)}; credential-type="password"`;
      return `<${url}>; rel="ice-server"${secret}`;
    }),
  );
}

/** Players that offer audio too are told that none will come, so that they do not wait for it. */
export function withoutOtherMedia(sdp: string): string {
  const [head = "", ...sections] = sdp.split(/^(?=m=)/m);
  const told = sections.map((section) =>
    section.startsWith("m=audio") ? section.replace(/^a=(sendrecv|sendonly|recvonly)$/m, "a=inactive") : section,
  );
  return [head, ...told].join("");
}
