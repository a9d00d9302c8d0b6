import { createReadStream } from "node:fs";
import {
  DreamloopError,
  ERROR_CODES,
  inspectTrace,
  isDreamloopError,
  readTrace,
  type ReadTraceOptions,
  type Trace,
  type TraceSummary,
} from "@dreamloop/core";
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

/** What a trace's reader throws names a line; the file is added to it. */
async function inFile<T>(path: string, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!isDreamloopError(error, ERROR_CODES.traceInvalid)) throw error;
    throw new DreamloopError(error.code, `${path}: ${error.message}`, { cause: error, details: error.details });
  }
}

/** Reads a trace file into memory, up to its last whole step. Throws what `readTrace` throws, and `not_found` or `load_failed`. */
export function readTraceFile(path: string, options: ReadTraceOptions = {}): Promise<Trace> {
  return inFile(path, readTrace(traceFileChunks(path), options));
}

/** Says what a trace file holds. Throws what `inspectTrace` throws, and `not_found` or `load_failed`. */
export function inspectTraceFile(path: string, options: ReadTraceOptions = {}): Promise<TraceSummary> {
  return inFile(path, inspectTrace(traceFileChunks(path), options));
}
