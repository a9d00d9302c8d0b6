import { contentAddressOf } from "../../snapshot/content/content-address.ts";
import type { FrameHasher } from "../../rollout/run-observer.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import type { BinaryValue } from "../../snapshot/content/array-types.ts";
import { toBase64 } from "./base64.ts";
import { arrayDescriptor, arraysWithin, describeArray, encodeValue, type EncodedArray } from "./trace-value.ts";

/** How much of its arrays a line carries itself. */
export interface InlineBudget {
  /** Greatest size of one array in bytes. */
  readonly inlineBytes: number;
  /** Greatest size of all together in bytes. */
  readonly inlineBudgetBytes: number;
}

/** A value whose arrays have been hashed, ready to be written. */
export interface HashedValue {
  /** Its arrays, each once, in the order of encoding. */
  readonly arrays: readonly EncodedArray[];
  /** The value as JSON, with the content of the arrays that `inline` allows; without it none has its content. */
  json(inline?: InlineBudget): Json;
  /** The arrays whose content `json(inline)` leaves out. */
  outside(inline?: InlineBudget): readonly EncodedArray[];
}

/** Hashes every array within a value. Throws `invalid_value` when the value cannot stand in a trace. */
export async function hashValue(value: unknown, path: string, hasher: FrameHasher): Promise<HashedValue> {
  const hashed = new Map<BinaryValue, EncodedArray>();
  for (const array of arraysWithin(value, path)) {
    if (hashed.has(array)) continue;
    const { bytes } = describeArray(array, "");
    hashed.set(array, describeArray(array, await contentAddressOf(bytes, hasher)));
  }
  const encode = (inline: InlineBudget | undefined): { readonly json: Json; readonly outside: Set<EncodedArray> } => {
    const outside = new Set<EncodedArray>();
    let left = inline?.inlineBudgetBytes ?? 0;
    const json = encodeValue(value, path, (array) => {
      const encoded = hashed.get(array) as EncodedArray;
      const { byteLength } = encoded.bytes;
      const fits = inline !== undefined && byteLength <= inline.inlineBytes && byteLength <= left;
      if (fits) left -= byteLength;
      else outside.add(encoded);
      return arrayDescriptor(encoded, fits ? toBase64(encoded.bytes) : undefined);
    });
    return { json, outside };
  };
  return {
    arrays: [...hashed.values()],
    json: (inline) => encode(inline).json,
    outside: (inline) => (hashed.size === 0 ? [] : [...encode(inline).outside]),
  };
}
