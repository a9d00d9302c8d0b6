import type { SessionAnswer } from "@dreamloop/protocol";
import type { ServerConfig } from "../platform/config/server-config.ts";
import type { IceHelpers } from "../platform/security/ice-helpers.ts";
import { SESSION_ROLES, type TokenSigner } from "../platform/security/session-token.ts";
import type { LiveSession } from "../session/live-session.ts";
import type { WorldPool } from "../worlds/world-pool.ts";

/** What a `SessionAnswer` is made from. */
export interface SessionAnswerSources {
  /** Makes the tokens. */
  readonly tokens: TokenSigner;
  /** How long they last, and which ways WebRTC may take. */
  readonly config: Pick<ServerConfig, "tokenSeconds" | "lifetimeSeconds" | "relayOnly">;
  /** The helpers that it may use. */
  readonly helpers: IceHelpers;
  /** Describes the world. */
  readonly pool: Pick<WorldPool, "summary">;
}

/** The answer that lets a player use its session; its token is new each time. */
export function sessionAnswer(
  { tokens, config, helpers, pool }: SessionAnswerSources,
  session: LiveSession,
): SessionAnswer {
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
    world: pool.summary(session.order.world),
    iceServers: helpers.forAdmitted(nameOf(session)),
    iceTransportPolicy: config.relayOnly ? "relay" : "all",
    websocketPath: `/api/sessions/${sessionId}/socket`,
  };
}

/** Characters of a session's id by which a TURN server tells sessions apart. */
const NAME_LENGTH = 8;

function nameOf(session: LiveSession): string {
  return session.id.slice(0, NAME_LENGTH);
}
