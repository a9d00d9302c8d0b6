import { STATUS_CODES } from "node:http";
import type { Writable } from "node:stream";
import { errorAnswer } from "./error-answer.ts";
import { securityHeaders } from "./security-headers.ts";

/** Everything that goes out when a request is refused before the routes see it. */
export interface Refusal {
  /** The status. */
  readonly status: number;
  /** The headers, lengths included. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body, JSON. */
  readonly body: string;
}

/** An error as a whole answer with the headers that every other answer has; the connection ends with it. */
export function refusal(error: unknown, options: { readonly isTls: boolean }): Refusal {
  const { status, body } = errorAnswer(error);
  const text = JSON.stringify(body);
  return {
    status,
    body: text,
    headers: {
      ...Object.fromEntries(securityHeaders(options)),
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(text)),
      ...(body.retryAfterSeconds === undefined ? {} : { "Retry-After": String(Math.ceil(body.retryAfterSeconds)) }),
      ...(status === 401 ? { "WWW-Authenticate": "Bearer" } : {}),
      Connection: "close",
    },
  };
}

/** Writes a refusal to a connection that has no answer of its own, and ends it. */
export function endWithRefusal(socket: Writable, { status, headers, body }: Refusal): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`);
}
