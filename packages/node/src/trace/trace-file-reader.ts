import { createReadStream } from "node:fs";
import { inspectTrace, readTrace, type ReadTraceOptions, type Trace, type TraceSummary } from "@dreamloop/core";
import { fileError, readErrorCode } from "./file-error.ts";

/** Bytes of one piece that is read from a trace file. */
const CHUNK_BYTES = 256 * 1024;

/** The bytes of a file, piece by piece. Throws `not_found` or `load_failed` naming the path. */
export async function* traceFileChunks(path: string): AsyncGenerator<Uint8Array, void, void> {
  const stream = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (cause) {
    throw fileError({ code: readErrorCode(cause), action: "read the trace", path, cause });
  } finally {
    stream.destroy();
  }
}

/** Reads a trace file into memory, up to its last whole step. Throws what `readTrace` throws, and `not_found` or `load_failed`. */
export function readTraceFile(path: string, options: ReadTraceOptions = {}): Promise<Trace> {
  return readTrace(traceFileChunks(path), options);
}

/** Says what a trace file holds. Throws what `inspectTrace` throws, and `not_found` or `load_failed`. */
export function inspectTraceFile(path: string, options: ReadTraceOptions = {}): Promise<TraceSummary> {
  return inspectTrace(traceFileChunks(path), options);
}
