import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";

/** Bytes of a trace in any pieces: a file's chunks, or the whole at once. */
export type TraceChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** One line with its number. */
export interface TraceLine {
  /** Its number, from 1. */
  readonly number: number;
  /** Its bytes, without the line feed. */
  readonly bytes: Uint8Array;
  /** Whether a line feed ended it; only the last line of a trace may lack one. */
  readonly ended: boolean;
}

const LINE_FEED = 10;

/** Splits bytes into lines, one at a time; throws `trace_invalid` naming the line that is longer than `lineBytes`. */
export async function* traceLines(chunks: TraceChunks, lineBytes: number): AsyncGenerator<TraceLine, void, void> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const keep = (piece: Uint8Array): void => {
    length += piece.byteLength;
    if (length > lineBytes) {
      throw new DreamloopError(
        ERROR_CODES.traceInvalid,
        `trace line ${number}: expected at most ${lineBytes} bytes, found more; it is damaged or no trace`,
        { details: { line: number } },
      );
    }
    pieces.push(piece);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      yield { number, bytes: joined(pieces, length), ended: true };
      pieces.length = 0;
      length = 0;
      number += 1;
      start = end + 1;
    }
    // A copy, since the chunk's memory may be used again for the next one.
    if (start < chunk.byteLength) keep(chunk.slice(start));
  }
  if (length > 0) yield { number, bytes: joined(pieces, length), ended: false };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0];
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const piece of pieces) {
    bytes.set(piece, offset);
    offset += piece.byteLength;
  }
  return bytes;
}
