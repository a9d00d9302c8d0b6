import type { IncomingMessage } from "node:http";
import { isDreamloopError, type Clock } from "@dreamloop/core";
import type { RateTable } from "../limits/rate-table.ts";
import type { AccessRules } from "../security/access-rules.ts";
import type { TokenSigner } from "../security/session-token.ts";
import { tooManyRequests, type RequestIdentities } from "./request-identity.ts";

/** What a `RequestGate` is made with. */
export interface RequestGateOptions {
  /** Measures rates. */
  readonly clock: Clock;
  /** Which hosts and origins are let in. */
  readonly access: AccessRules;
  /** Who asks. */
  readonly identities: RequestIdentities;
  /** How often each of them may ask. */
  readonly rates: RateTable;
  /** The same for checks of health, so that a balancer is never refused because of the clients behind the same address. */
  readonly healthRates: RateTable;
  /** Reads session tokens. */
  readonly tokens: TokenSigner;
}

/** Paths that balancers ask again and again. */
const HEALTH_PATHS = ["/healthz", "/readyz"];

/** The checks that every request passes, WebSockets included: how often its sender asks, by which name, and from which page. */
export class RequestGate {
  readonly #options: RequestGateOptions;

  /** Keeps nothing but what it is given. */
  constructor(options: RequestGateOptions) {
    this.#options = options;
  }

  /** Charges a request to whoever sent it and checks its Host. Throws `limit_exceeded`, or `unauthorized` with status 421. */
  admit(request: IncomingMessage): void {
    const { rates, healthRates, identities, clock, access } = this.#options;
    const table = HEALTH_PATHS.includes(request.url?.split("?")[0] ?? "") ? healthRates : rates;
    if (!table.take(identities.of(request), clock.nowSeconds())) throw tooManyRequests();
    access.checkHost({ host: request.headers.host });
  }

  /** Checks the Origin of a request that changes something; `token` is what it carries, if anything. Throws `unauthorized` with status 403. */
  checkOrigin({ headers: { host, origin } }: IncomingMessage, token: string | undefined): void {
    this.#options.access.checkOrigin({ host, origin, hasToken: this.#holdsToken(token) });
  }

  /** Whether a page of this origin may read answers. */
  isAllowedOrigin(origin: string, host: string | undefined): boolean {
    return this.#options.access.isAllowedOrigin(origin, host);
  }

  /** Whether a text is the server's own token or that of a session. */
  #holdsToken(token: string | undefined): boolean {
    const { access, tokens } = this.#options;
    if (token === undefined) return false;
    if (access.needsToken && access.isServerToken(token)) return true;
    try {
      tokens.read(token);
      return true;
    } catch (error) {
      if (isDreamloopError(error)) return false;
      throw error;
    }
  }
}
