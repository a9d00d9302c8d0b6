import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/**
 * Reads the body of a request and stops at `maxBytes`, whatever length was declared, so that no more is ever held. Throws `limit_exceeded` (status 413), and
 * `cancelled` when the client goes away or is too slow. `what` names the body in both.
 */
export async function readBytes(
  request: Request,
  options: { readonly maxBytes: number; readonly what: string },
): Promise<Buffer> {
  const { maxBytes, what } = options;
  const tooLarge = (): DreamloopError =>
    new DreamloopError(ERROR_CODES.limitExceeded, `${what} has more than ${maxBytes} bytes`, {
      details: { status: 413 },
    });
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge();
  if (request.body === null) return Buffer.alloc(0);
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new DreamloopError(ERROR_CODES.cancelled, `${what} did not arrive whole`, { cause });
    });
    if (done) return Buffer.concat(parts);
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // What is still on its way is not waited for; a body that cannot be cancelled is cut with its connection.
      void reader.cancel().catch(() => undefined);
      throw tooLarge();
    }
    parts.push(value);
  }
}

/** Reads the body of a request as text; throws as `readBytes` does. */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  return (await readBytes(request, { maxBytes, what: "the body" })).toString("utf8");
}

/** Reads the body of a request as JSON; throws `invalid_value` for anything else. */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "the body is not valid JSON", { cause });
  }
}
