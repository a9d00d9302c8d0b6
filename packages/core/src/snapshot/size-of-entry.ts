import { arrayBytes, isBinaryValue } from "./content/array-types.ts";
import type { PackedState } from "./pack-state.ts";
import type { LeadEntry } from "./session-state.ts";

/** What an entry or a mapping costs beside its content. */
const OBJECT_BYTES = 64;

/** About how much memory an entry takes, in bytes: enough to keep a budget. */
export function sizeOfEntry(entry: LeadEntry): number {
  return entry.type === "reset" ? OBJECT_BYTES : 4 * OBJECT_BYTES + sizeOfValue(entry.inputs.events, 0);
}

/** About how much memory a packed state takes beside its chunks, in bytes. */
export function sizeOfState({ value, arrays }: PackedState): number {
  const references = arrays.reduce((sum, { chunks }) => sum + OBJECT_BYTES + chunks.length * 16, 0);
  return sizeOfValue(value, 0) + references;
}

function sizeOfValue(value: unknown, depth: number): number {
  if (typeof value === "string") return 16 + 2 * value.length;
  if (typeof value !== "object" || value === null || depth > OBJECT_BYTES) return 8;
  if (isBinaryValue(value)) return OBJECT_BYTES + arrayBytes(value).bytes.byteLength;
  let bytes = OBJECT_BYTES;
  for (const entry of Object.values(value)) bytes += 8 + sizeOfValue(entry, depth + 1);
  return bytes;
}
