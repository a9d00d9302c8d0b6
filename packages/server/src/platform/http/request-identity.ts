import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import proxyAddr from "proxy-addr";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import type { ServerConfig } from "../config/server-config.ts";
import { networkOf } from "../security/network-of.ts";

/** What the handlers know of the connection. */
export interface HttpEnv {
  /** The request and answer of Node. */
  Bindings: HttpBindings;
}

/** Tells who asks, for everything that is limited for each address. */
export class RequestIdentities {
  readonly #isTrusted: ((address: string, index: number) => boolean) | undefined;

  /** Only `trustedProxies` may say for whom they ask; without any, `X-Forwarded-For` is never looked at. */
  constructor({ trustedProxies }: Pick<ServerConfig, "trustedProxies">) {
    if (trustedProxies.length === 0) return;
    const isTrusted = proxyAddr.compile([...trustedProxies]);
    // The library takes plain numbers for addresses.
    this.#isTrusted = (address, index) => isIP(address) !== 0 && isTrusted(address, index);
  }

  /** The client as `networkOf` counts it: behind a trusted proxy the last one forwarded that is no such proxy, else the other end of the connection. */
  of(request: IncomingMessage): string {
    const { remoteAddress = "unknown" } = request.socket;
    const forwarded = this.#isTrusted === undefined ? undefined : networkOf(proxyAddr(request, this.#isTrusted));
    // A proxy that passes on what is no address speaks for itself, or everybody could be whoever they say.
    return forwarded ?? networkOf(remoteAddress) ?? remoteAddress;
  }

  /** The same of a request that is being handled. */
  ofContext(context: Context<HttpEnv>): string {
    return this.of(context.env.incoming);
  }
}

/** The error for an address that asks too often. */
export function tooManyRequests(): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, "too many requests from your address", {
    retryable: true,
    details: { retryAfterSeconds: 1 },
  });
}

/** The token of the Authorization header, or the query's for downloads. */
export function bearerOf(context: Context<HttpEnv>, options: { readonly query?: boolean } = {}): string | undefined {
  const header = /^Bearer (.+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  return header ?? (options.query === true ? context.req.query("token") : undefined);
}
