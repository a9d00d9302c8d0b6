import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  DreamloopError,
  ERROR_CODES,
  eventListSource,
  isDreamloopError,
  parseScript,
  traceEvents,
  type FiniteInputSource,
} from "@dreamloop/core";
import { PayloadFolder, payloadFolderOf, readTraceFile, sha256FrameHasher } from "@dreamloop/node";
import { usageError } from "../program/usage-error.ts";

/** Greatest size of a script in bytes; the reader of scripts has its own limit in characters. */
const MAX_SCRIPT_BYTES = 4_000_000;

/** Reads a script into a source of events; a fault names the file, the line and the column. */
export function scriptSource(path: string, cwd: string): FiniteInputSource {
  const text = readText(path, resolve(cwd, path), "--script");
  try {
    const { events, endSeconds } = parseScript(text);
    return eventListSource({ events, ...(endSeconds === undefined ? {} : { endSeconds }) });
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    throw new DreamloopError(error.code, `${path}: ${error.message}`, { cause: error, details: error.details });
  }
}

/** Reads the events of a recorded trace into a source; the world, its seed and its configuration are the run's own. */
export async function traceSource(path: string, cwd: string): Promise<FiniteInputSource> {
  const full = resolve(cwd, path);
  const trace = await readTraceFile(full);
  const payloads = new PayloadFolder(payloadFolderOf(full));
  return eventListSource(await traceEvents(trace, { hasher: sha256FrameHasher, payloads }));
}

/** Reads a small text file; `option` is named when it cannot be read. */
export function readText(path: string, full: string, option: string): string {
  try {
    const facts = statSync(full);
    if (!facts.isFile() && !facts.isFIFO()) throw usageError(`${option}: ${path} is no file`);
    if (facts.size > MAX_SCRIPT_BYTES) {
      throw usageError(`${option}: ${path} has ${facts.size} bytes, at most ${MAX_SCRIPT_BYTES} are read`);
    }
    return readFileSync(full, "utf8");
  } catch (cause) {
    if (isDreamloopError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    const missing = code === "ENOENT" || code === "ENOTDIR";
    if (missing) throw new DreamloopError(ERROR_CODES.notFound, `${option}: ${path}: there is no such file`);
    throw new DreamloopError(ERROR_CODES.traceInvalid, `${option}: ${path} cannot be read: ${message}`, { cause });
  }
}
