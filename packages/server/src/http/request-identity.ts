import type { IncomingMessage } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** What the handlers know of the connection. */
export interface HttpEnv {
  /** The request and answer of Node. */
  Bindings: HttpBindings;
}

/** The address of whoever asks; a proxy in front is one identity. */
export function identityOf(context: Context<HttpEnv>): string {
  return addressOf(context.env.incoming);
}

/** The same of a request as Node has it. */
export function addressOf({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? "unknown";
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
