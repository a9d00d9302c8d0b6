import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";
import type { Connection } from "../sessions/connection.ts";
import type { LiveSession } from "../sessions/live-session.ts";

/** Candidates that come by HTTP: before the offer they wait, after it they go to the connection. Bounded for each session. */
export class CandidateBox {
  readonly #waiting = new Map<string, IceCandidate[]>();
  readonly #open = new Map<string, Connection>();

  /** Takes candidates for the next or the present connection of a session. */
  add(session: LiveSession, candidates: readonly IceCandidate[]): void {
    const connection = this.#open.get(session.id);
    if (connection !== undefined && session.connections.has(connection)) {
      connection.outlet.addCandidates?.(candidates);
      return;
    }
    const waiting = this.#waiting.get(session.id) ?? [];
    if (waiting.length + candidates.length > PROTOCOL_LIMITS.candidates) {
      throw new DreamloopError(
        ERROR_CODES.limitExceeded,
        `a connection takes at most ${PROTOCOL_LIMITS.candidates} candidates`,
      );
    }
    waiting.push(...candidates);
    if (!this.#waiting.has(session.id)) void session.closed.then(() => this.#forget(session.id));
    this.#waiting.set(session.id, waiting);
  }

  /** Takes out what waits for the offer of a session. */
  take(sessionId: string): readonly IceCandidate[] {
    const waiting = this.#waiting.get(sessionId) ?? [];
    this.#waiting.set(sessionId, []);
    return waiting;
  }

  /** From now on candidates of the session go to this connection. */
  open(sessionId: string, connection: Connection): void {
    this.#open.set(sessionId, connection);
  }

  #forget(sessionId: string): void {
    this.#waiting.delete(sessionId);
    this.#open.delete(sessionId);
  }
}
