import { createReadStream } from "node:fs";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { payloadFolderOf } from "@dreamloop/node";
import type { TraceView } from "./session-trace.ts";

/** Sizes of a tar archive (POSIX.1-2017, pax, ustar interchange format). */
const BLOCK_BYTES = 512;
const END_BYTES = 2 * BLOCK_BYTES;
/** The name of the trace in the archive. */
const TRACE_NAME = "run.trace";

/** Bytes of a trace. */
export function traceBytes({ bytes, footer }: TraceView): number {
  return bytes + Buffer.byteLength(footer);
}

/** A trace, piece by piece. */
export async function* readTrace({ file, bytes, footer }: TraceView): AsyncGenerator<Uint8Array, void, void> {
  if (bytes > 0) yield* createReadStream(file, { end: bytes - 1 }) as AsyncIterable<Uint8Array>;
  yield Buffer.from(footer);
}

/** Bytes of the archive of a trace. */
export function archiveBytes(trace: TraceView): number {
  return [traceBytes(trace), ...trace.addresses.values()].reduce(
    (sum, bytes) => sum + BLOCK_BYTES + padded(bytes),
    END_BYTES,
  );
}

/**
 * A trace with the content that stands in no line, as one tar archive, piece by piece: `run.trace`, and its payload folder beside it as `dreamloop replay`
 * looks for it. Made while it is read, so that it takes no room on the disk.
 */
export async function* readArchive(trace: TraceView): AsyncGenerator<Uint8Array, void, void> {
  const size = traceBytes(trace);
  yield tarHeader(TRACE_NAME, size);
  yield* readTrace(trace);
  yield padding(size);
  for (const [address, bytes] of trace.addresses) {
    const content = await trace.payloads.get(address);
    if (content?.byteLength !== bytes)
      throw new DreamloopError(ERROR_CODES.notFound, `${address}: the content of the trace is gone`);
    const digest = address.slice("sha256:".length);
    yield tarHeader(`${payloadFolderOf(TRACE_NAME)}/${digest.slice(0, 2)}/${digest.slice(2)}`, bytes);
    yield content;
    yield padding(bytes);
  }
  yield new Uint8Array(END_BYTES);
}

function padded(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

function padding(bytes: number): Uint8Array {
  return new Uint8Array(padded(bytes) - bytes);
}

/** The header of a plain file, whose name has at most 100 bytes. */
function tarHeader(name: string, bytes: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_BYTES);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(name, 0, "latin1");
  header.write(octal(0o644, 8), 100, "latin1");
  header.write(octal(0, 8), 108, "latin1");
  header.write(octal(0, 8), 116, "latin1");
  header.write(octal(bytes, 12), 124, "latin1");
  header.write(octal(0, 12), 136, "latin1");
  // The sum is counted with spaces in its own place.
  header.write("        ", 148, "latin1");
  header.write("0", 156, "latin1");
  header.write("ustar\u000000", 257, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return header;
}
