import type { Json } from "../../foundation/validate/reader.ts";
import { decodeValue, type ArrayReference } from "./decode-value.ts";
import type { PayloadReader } from "./payload-reader.ts";

/** A value of a trace whose arrays may still lie elsewhere. Reading it checks its form; `resolve` gives the value itself. */
export interface StoredValue {
  /** The value as it stands in the trace. */
  readonly json: Json;
  /** The arrays in it. */
  readonly arrays: readonly ArrayReference[];
}

/** Checks the form of a value; throws `invalid_value` naming the place. */
export function storedValue(json: Json, path: string): StoredValue {
  const arrays: ArrayReference[] = [];
  decodeValue(json, path, (reference) => arrays.push(reference));
  return { json, arrays };
}

/** The value itself, its arrays read and proven. Throws what `PayloadReader.array` throws. */
export async function resolveValue(stored: StoredValue, path: string, payloads: PayloadReader): Promise<unknown> {
  const arrays: unknown[] = [];
  for (const reference of stored.arrays) arrays.push(await payloads.array(reference, path));
  let next = 0;
  return decodeValue(stored.json, path, () => {
    next += 1;
    return arrays[next - 1];
  });
}
