import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/** What the handlers know of the connection. */
export interface HttpEnv {
  /** The request and answer of Node. */
  Bindings: HttpBindings;
}

/** The address of whoever asks; a proxy in front is one identity. */
export function identityOf(context: Context<HttpEnv>): string {
  return context.env.incoming.socket.remoteAddress ?? "unknown";
}

/** The token of the Authorization header, or the query's for downloads. */
export function bearerOf(context: Context<HttpEnv>, options: { readonly query?: boolean } = {}): string | undefined {
  const header = /^Bearer (.+)$/i.exec(context.req.header("authorization") ?? "")?.[1];
  return header ?? (options.query === true ? context.req.query("token") : undefined);
}
