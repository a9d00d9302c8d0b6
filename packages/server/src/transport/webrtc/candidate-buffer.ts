import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";
import type { Connection } from "../../viewers/connection.ts";
import type { LiveSession } from "../../session/live-session.ts";

/** Candidates that come by HTTP: before the offer they wait, after it they go to the connection. Bounded for each session, and gone with it. */
export class CandidateBuffer {
  readonly #waiting = new WeakMap<LiveSession, readonly IceCandidate[]>();
  readonly #open = new WeakMap<LiveSession, Connection>();

  /** Takes candidates for the next or the present connection of a session. */
  add(session: LiveSession, candidates: readonly IceCandidate[]): void {
    const connection = this.#open.get(session);
    if (connection !== undefined && session.connections.has(connection)) {
      connection.outlet.addCandidates?.(candidates);
      return;
    }
    const waiting = [...(this.#waiting.get(session) ?? []), ...candidates];
    if (waiting.length > PROTOCOL_LIMITS.candidates) {
      throw new DreamloopError(
        ERROR_CODES.limitExceeded,
        `a connection takes at most ${PROTOCOL_LIMITS.candidates} candidates`,
      );
    }
    this.#waiting.set(session, waiting);
  }

  /** Takes out what waits for the offer of a session. */
  take(session: LiveSession): readonly IceCandidate[] {
    const waiting = this.#waiting.get(session) ?? [];
    this.#waiting.delete(session);
    return waiting;
  }

  /** From now on candidates of the session go to this connection. */
  open(session: LiveSession, connection: Connection): void {
    this.#open.set(session, connection);
  }
}
