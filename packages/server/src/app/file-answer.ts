import { Readable } from "node:stream";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { listenForErrors } from "../platform/faults/listen-for-errors.ts";
import type { ByteRange, RecordingFile } from "../recordings/recording-file.ts";

/** Answers with a file of a recording: the whole, the part that `Range` asks for (status 206), or for HEAD the headers alone, for which nothing is opened. */
export function fileAnswer(request: Request, file: RecordingFile): Response {
  const range = file.hasRanges ? requestedRange(request.headers.get("range"), file.bytes) : undefined;
  const bytes = range === undefined ? file.bytes : range.end - range.start + 1;
  const headers = {
    "Content-Type": file.type,
    "Content-Length": String(bytes),
    "Content-Disposition": `attachment; filename="dreamloop-${file.name}"`,
    "Cache-Control": "no-store",
    ...(file.hasRanges ? { "Accept-Ranges": "bytes" } : {}),
    ...(range === undefined ? {} : { "Content-Range": `bytes ${range.start}-${range.end}/${file.bytes}` }),
  };
  const status = range === undefined ? 200 : 206;
  if (request.method === "HEAD") return new Response(null, { status, headers });
  const content = listenForErrors(file.open(range));
  // A client that goes away before the end leaves the file to be closed here.
  request.signal.addEventListener("abort", () => content.destroy(), { once: true });
  return new Response(Readable.toWeb(content) as ReadableStream, { status, headers });
}

/**
 * The part that a `Range` header asks for (RFC 9110, 14.1.2); absent for none, for several and for what is no range of bytes: then the whole is sent.
 * Throws `invalid_value` (status 416) for a part that begins behind the end.
 */
function requestedRange(header: string | null, bytes: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  const start = first === "" ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? bytes - 1 : Math.min(bytes - 1, Number(last));
  if (first !== "" && last !== "" && Number(last) < start) return undefined;
  if (start <= end) return { start, end };
  throw new DreamloopError(ERROR_CODES.invalidValue, `Range: the file has ${bytes} bytes only`, {
    details: { status: 416 },
  });
}
