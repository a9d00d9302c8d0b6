import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** Reads the body of a request as text, and stops at `maxBytes`. Throws `limit_exceeded` (status 413). */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return "";
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw tooLarge(maxBytes);
    }
    parts.push(value);
  }
  return Buffer.concat(parts).toString("utf8");
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

function tooLarge(maxBytes: number): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, `the body has more than ${maxBytes} bytes`, {
    details: { status: 413 },
  });
}
