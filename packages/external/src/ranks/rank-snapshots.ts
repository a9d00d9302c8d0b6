import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isPlainObject } from "@dreamloop/core/internal";

/** What the snapshot of a world that runs as several ranks begins with. */
const START = "dreamloop-ranks ";

/** Bytes that the first line may have. */
const MAX_LINE_BYTES = 4096;

/** Puts the snapshots of all ranks into one: a line that says how long each is, then one after the other. */
export function joinSnapshots(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const line = new TextEncoder().encode(`${START}${JSON.stringify({ bytes: parts.map(({ length }) => length) })}\n`);
  const joined = new Uint8Array(line.length + parts.reduce((sum, { length }) => sum + length, 0));
  joined.set(line);
  let offset = line.length;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

/** Takes such a snapshot apart again; throws `invalid_value` for one of another number of ranks, and for what is none. */
export function splitSnapshot(joined: Uint8Array, ranks: number, label: string): readonly Uint8Array[] {
  const end = joined.subarray(0, MAX_LINE_BYTES).indexOf(10);
  const lengths = end < 0 ? undefined : lengthsIn(new TextDecoder().decode(joined.subarray(0, end)));
  if (lengths?.length !== ranks) {
    const found = lengths === undefined ? "one of a single process" : `one of ${lengths.length} ranks`;
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${label}: restore: expected a snapshot of ${ranks} ranks, found ${found}; restore it with the same resourceHints.ranks`,
    );
  }
  let offset = end + 1;
  const parts = lengths.map((length) => {
    offset += length;
    return joined.subarray(offset - length, offset);
  });
  if (offset === joined.length) return parts;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    `${label}: restore: expected a snapshot of ${offset} bytes, found ${joined.length}`,
  );
}

function lengthsIn(line: string): readonly number[] | undefined {
  if (!line.startsWith(START)) return undefined;
  try {
    const read: unknown = JSON.parse(line.slice(START.length));
    if (!isPlainObject(read) || !Array.isArray(read.bytes)) return undefined;
    const lengths = read.bytes as readonly unknown[];
    return lengths.every((length): length is number => Number.isSafeInteger(length) && (length as number) >= 0)
      ? lengths
      : undefined;
  } catch {
    return undefined;
  }
}
