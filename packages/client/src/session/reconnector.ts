import { ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import type { SessionAnswer } from "@dreamloop/protocol";
import type { ReconnectPolicy } from "./reconnect-policy.ts";
import type { HttpApi } from "../wire/http-api.ts";
import type { ClientEnvironment } from "../browser/client-environment.ts";

/** What a reconnector works with. */
export interface ReconnectorParts {
  /** The HTTP side of the server. */
  readonly api: HttpApi;
  /** Timers. */
  readonly environment: ClientEnvironment;
  /** Decides whether and when. */
  readonly policy: ReconnectPolicy;
  /** Ends all attempts. */
  readonly signal: AbortSignal;
}

/** What one run of attempts needs. */
export interface ReconnectRequest {
  /** The session that lost its link. */
  readonly grant: SessionAnswer;
  /** Why the link was lost. */
  readonly cause: unknown;
  /** Whether it is known that the server does not know the session any more. */
  readonly isForgotten: boolean;
  /** Opens a link for a fresh grant. */
  open(grant: SessionAnswer): Promise<void>;
  /** Starts another session when the server does not know this one any more; absent: that ends it. */
  readonly recreate?: () => Promise<SessionAnswer>;
}

/** Takes a session up again after its link was lost, as the policy says. */
export class Reconnector {
  readonly #parts: ReconnectorParts;
  #wake: (() => void) | undefined;

  /** For one session. */
  constructor(parts: ReconnectorParts) {
    this.#parts = parts;
  }

  /** Tries until a link stands or the policy gives up; then rejects with the last error. */
  async run(request: ReconnectRequest): Promise<void> {
    const { api, policy, signal } = this.#parts;
    let { cause } = request;
    let { isForgotten } = request;
    for (;;) {
      const decision = policy.failed(cause);
      if (decision.action === "give_up") throw cause;
      await this.#wait(decision.delayMilliseconds);
      try {
        signal.throwIfAborted();
        const { grant, recreate } = request;
        const fresh =
          isForgotten && recreate !== undefined
            ? await recreate()
            : await api.resume(grant.sessionId, grant.resumeSecret, signal);
        await request.open(fresh);
        policy.succeeded();
        return;
      } catch (error) {
        // A server that was restarted knows neither the session nor the secret: only a new session can go on.
        const forgets =
          isDreamloopError(error, ERROR_CODES.notFound) || isDreamloopError(error, ERROR_CODES.unauthorized);
        if (forgets && !isForgotten && request.recreate !== undefined) isForgotten = true;
        else cause = error;
      }
    }
  }

  /** The network came back: the next attempt is made now. */
  hurry(): void {
    this.#wake?.();
  }

  #wait(milliseconds: number): Promise<void> {
    const { environment, signal } = this.#parts;
    if (milliseconds <= 0 || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        environment.clearTimer(timer);
        signal.removeEventListener("abort", wake);
        this.#wake = undefined;
        resolve();
      };
      const timer = environment.setTimer(wake, milliseconds);
      signal.addEventListener("abort", wake, { once: true });
      this.#wake = wake;
    });
  }
}
