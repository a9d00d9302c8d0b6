import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { DreamloopError, ERROR_CODES, type Clock } from "@dreamloop/core";
import { PROTOCOL_LIMITS } from "@dreamloop/protocol";

/** What the holder of a token may do. */
export const SESSION_ROLES = {
  /** Everything with its session. */
  player: "player",
  /** Watch it. */
  viewer: "viewer",
} as const;

/** One of `SESSION_ROLES`. */
export type SessionRole = (typeof SESSION_ROLES)[keyof typeof SESSION_ROLES];

/** What a token says. */
export interface SessionClaims {
  /** The session. */
  readonly sessionId: string;
  /** What its holder may do. */
  readonly role: SessionRole;
  /** When it ends, in seconds of the server's clock. */
  readonly expiresSeconds: number;
}

const KEY_BYTES = 32;

/** Signs and reads the tokens of one server; its key lives as long as the server, so a restart makes all tokens void. */
export class TokenSigner {
  readonly #clock: Clock;
  readonly #key = randomBytes(KEY_BYTES);

  /** `clock` says when tokens end. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Makes a token that ends after `seconds`. */
  issue(options: { readonly sessionId: string; readonly role: SessionRole; readonly seconds: number }): string {
    const { sessionId, role, seconds } = options;
    const expiresSeconds = Math.floor(this.#clock.nowSeconds() + seconds);
    const body = Buffer.from(JSON.stringify([sessionId, role, expiresSeconds])).toString("base64url");
    return `${body}.${this.#sign(body)}`;
  }

  /** Reads a token; throws `unauthorized` when it is not this server's or has ended. */
  read(token: string): SessionClaims {
    const [body, signature, rest] = token.length <= PROTOCOL_LIMITS.tokenLength ? token.split(".") : [];
    if (body === undefined || signature === undefined || rest !== undefined || !this.#isSigned(body, signature)) {
      throw new DreamloopError(ERROR_CODES.unauthorized, "the token is not one of this server; start a new session");
    }
    const [sessionId, role, expiresSeconds] = JSON.parse(Buffer.from(body, "base64url").toString()) as [
      string,
      SessionRole,
      number,
    ];
    if (this.#clock.nowSeconds() >= expiresSeconds) {
      throw new DreamloopError(
        ERROR_CODES.unauthorized,
        "the token has ended; resume the session with its secret to get a new one",
      );
    }
    return { sessionId, role, expiresSeconds };
  }

  #sign(body: string): string {
    return createHmac("sha256", this.#key).update(body).digest("base64url");
  }

  #isSigned(body: string, signature: string): boolean {
    const expected = Buffer.from(this.#sign(body));
    const given = Buffer.from(signature);
    return expected.byteLength === given.byteLength && timingSafeEqual(expected, given);
  }
}
