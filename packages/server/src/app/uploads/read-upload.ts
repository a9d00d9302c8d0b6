import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/**
 * Reads the body of a request and stops at `maxBytes`, whatever length was declared, so that no more is ever held. Throws `limit_exceeded` (status 413), and
 * `cancelled` when the client goes away or is too slow.
 */
export async function readUpload(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new DreamloopError(ERROR_CODES.cancelled, "the picture did not arrive whole", { cause });
    });
    if (done) return Buffer.concat(parts);
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      // What is still on its way is not waited for; a body that cannot be cancelled is cut with its connection.
      void reader.cancel().catch(() => undefined);
      throw tooLarge(maxBytes);
    }
    parts.push(value);
  }
}

function tooLarge(maxBytes: number): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, `the picture has more than ${maxBytes} bytes; scale it down`, {
    details: { status: 413 },
  });
}
