import { resolve } from "node:path";
import {
  DreamloopError,
  eventListSource,
  isDreamloopError,
  parseScript,
  type FiniteInputSource,
} from "@dreamloop/core";
import { traceEvents } from "@dreamloop/core/internal";
import { PayloadFolder, payloadFolderOf, readTraceFile, sha256FrameHasher } from "@dreamloop/node";
import { readGivenText } from "../settings/read-given-text.ts";

/** Greatest size of a script in bytes; the reader of scripts has its own limit in characters. */
const MAX_SCRIPT_BYTES = 4_000_000;

/** Reads a script into a source of events; a fault names the file, the line and the column. */
export function scriptSource(path: string, cwd: string): FiniteInputSource {
  const text = readGivenText({ flag: "--script", path, cwd, maxBytes: MAX_SCRIPT_BYTES });
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
