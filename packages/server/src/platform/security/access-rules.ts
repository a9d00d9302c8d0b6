import { isIP } from "node:net";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isSameSecret } from "./secrets.ts";

/** What an `AccessRules` is made with. */
export interface AccessRulesOptions {
  /** The address that HTTP is bound to. */
  readonly host: string;
  /** Further names under which the server may be called. */
  readonly allowedHosts: readonly string[];
  /** Further pages that may use it, as origins such as `https://example.org`. */
  readonly allowedOrigins: readonly string[];
  /** The server's token; absent: none is needed. */
  readonly token?: string;
}

/** What of a request is looked at. */
export interface RequestFacts {
  /** The Host header. */
  readonly host: string | undefined;
  /** The Origin header. */
  readonly origin: string | undefined;
  /** Whether it carries a token that is valid. */
  readonly hasToken: boolean;
}

const LOOPBACK_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Whether an address reaches this machine only. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

/** Which requests are let in, by the names they use and the pages they come from. */
export class AccessRules {
  readonly #options: AccessRulesOptions;
  readonly #names: ReadonlySet<string>;
  readonly #isLoopback: boolean;

  /** Names and origins are compared without regard to case. */
  constructor(options: AccessRulesOptions) {
    this.#options = options;
    this.#isLoopback = isLoopback(options.host);
    const own = options.host.includes(":") ? `[${options.host}]` : options.host;
    const names = this.#isLoopback ? [...LOOPBACK_NAMES, own] : [...LOOPBACK_NAMES, own];
    this.#names = new Set([...names, ...options.allowedHosts].map((name) => name.toLowerCase()));
  }

  /**
   * Refuses a Host that is not an allowed name (status 421), so that a foreign name that was pointed at this machine cannot be used to
   * reach it. On a wide bind, plain addresses are allowed: no name can stand behind them.
   */
  checkHost({ host }: Pick<RequestFacts, "host">): void {
    const name = hostName(host);
    if (name !== undefined && (this.#names.has(name) || (!this.#isLoopback && isAddress(name)))) return;
    throw new DreamloopError(
      ERROR_CODES.unauthorized,
      `Host: ${JSON.stringify(host?.slice(0, 200) ?? "")} is not a name of this server; add it with --allow-host`,
      { details: { status: 421 } },
    );
  }

  /** Whether a page of this origin may use the server. */
  isAllowedOrigin(origin: string, host: string | undefined): boolean {
    if (this.#options.allowedOrigins.some((allowed) => allowed.toLowerCase() === origin.toLowerCase())) return true;
    const own = /^https?:\/\/(.+)$/i.exec(origin)?.[1];
    return own !== undefined && host !== undefined && own.toLowerCase() === host.toLowerCase();
  }

  /** Refuses changes that a foreign page asks for (status 403). Without an Origin the caller is no page: fine on loopback or with a token. */
  checkOrigin({ origin, host, hasToken }: RequestFacts): void {
    const fine = origin === undefined ? this.#isLoopback || hasToken : this.isAllowedOrigin(origin, host);
    if (fine) return;
    throw new DreamloopError(
      ERROR_CODES.unauthorized,
      origin === undefined
        ? "a request without an Origin needs a token here"
        : `Origin: ${JSON.stringify(origin.slice(0, 200))} may not use this server; add it with --allow-origin`,
      { details: { status: 403 } },
    );
  }

  /** Whether a text is the server's token; true for anything when the server has none. */
  isServerToken(given: string | undefined): boolean {
    const { token } = this.#options;
    return token === undefined || (given !== undefined && isSameSecret(given, token));
  }

  /** Whether the server has a token. */
  get needsToken(): boolean {
    return this.#options.token !== undefined;
  }
}

/** The name in a Host header, without the port, in lower case. */
function hostName(host: string | undefined): string | undefined {
  return /^(\[[0-9a-f:.]+\]|[^:[\]/@\s]+)(?::\d{1,5})?$/i.exec(host ?? "")?.[1]?.toLowerCase();
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}
