import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { PROTOCOL_LIMITS, type IceCandidate } from "@dreamloop/protocol";
import type { Inlet, TransportSession } from "../outlet/outlet.ts";

/** Candidates that come by HTTP: before the offer they wait, after it they go to the connection. Bounded for each session, and gone with it. */
export class CandidateBuffer {
  readonly #waiting = new WeakMap<TransportSession, readonly IceCandidate[]>();
  readonly #open = new WeakMap<TransportSession, Inlet>();

  /** Takes candidates for the next or the present connection of a session. */
  add(session: TransportSession, candidates: readonly IceCandidate[]): void {
    const inlet = this.#open.get(session);
    if (inlet?.isOpen === true) {
      inlet.addCandidates(candidates);
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
  take(session: TransportSession): readonly IceCandidate[] {
    const waiting = this.#waiting.get(session) ?? [];
    this.#waiting.delete(session);
    return waiting;
  }

  /** From now on candidates of the session go to this connection. */
  open(session: TransportSession, inlet: Inlet): void {
    this.#open.set(session, inlet);
  }
}
