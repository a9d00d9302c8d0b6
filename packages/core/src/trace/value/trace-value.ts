import { isPlainObject, refuse, type Json } from "../../foundation/validate/reader.ts";
import { arrayBytes, isBinaryValue, type BinaryValue } from "../../snapshot/content/array-types.ts";

/** The key that marks what JSON has no notation for. */
export const TAG_KEY = "$";

/** How deep values may be nested, in a trace and in what is written to one. */
export const MAX_VALUE_DEPTH = 64;

/** An array within a value, described by what it holds. */
export interface EncodedArray {
  /** Name of its type, such as `float32`. */
  readonly type: string;
  /** Its content, which is the memory of the value itself. */
  readonly bytes: Uint8Array;
  /** Address of its content: `sha256:` and 64 hexadecimal digits. */
  readonly hash: string;
}

/** Every array within a value, in the order of encoding; throws `invalid_value` when the value cannot stand in a trace. */
export function arraysWithin(value: unknown, path: string): readonly BinaryValue[] {
  const found: BinaryValue[] = [];
  encodeValue(value, path, (array) => {
    found.push(array);
    return null;
  });
  return found;
}

/**
 * A value as JSON. Mappings get sorted keys, so that equal values give equal text; entries that are `undefined` are left out. Numbers
 * that JSON lacks (−0, NaN, infinities), big integers, arrays of binary data and mappings with the key `$` become tagged mappings.
 * Throws `invalid_value`, naming the place, for everything else: functions, class instances, holes, nesting beyond the limit.
 */
export function encodeValue(value: unknown, path: string, encodeArray: (array: BinaryValue) => Json, depth = 0): Json {
  if (depth > MAX_VALUE_DEPTH) refuse(path, `values nested at most ${MAX_VALUE_DEPTH} deep`, value);
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return encodeNumber(value);
  if (typeof value === "bigint") return tagged("bigint", { value: value.toString() });
  if (Array.isArray(value)) {
    return Array.from(value, (entry: unknown, index) =>
      encodeValue(entry, `${path}[${index}]`, encodeArray, depth + 1),
    );
  }
  if (isBinaryValue(value)) return encodeArray(value);
  if (!isPlainObject(value)) {
    refuse(path, "plain data (numbers, text, lists, mappings, typed arrays), as a trace can hold it", value);
  }
  const entries = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => [key, encodeValue(value[key], `${path}.${key}`, encodeArray, depth + 1)] as const);
  const copy = Object.fromEntries(entries);
  return TAG_KEY in copy ? tagged("mapping", { value: copy }) : copy;
}

/** The JSON of one array: its type, length and address, and its content when that stands in the line itself. */
export function arrayDescriptor(array: EncodedArray, data: string | undefined): Json {
  return tagged("array", {
    type: array.type,
    bytes: array.bytes.byteLength,
    hash: array.hash,
    ...(data === undefined ? {} : { data }),
  });
}

/** Type and bytes of an array together with its address. */
export function describeArray(value: BinaryValue, hash: string): EncodedArray {
  return { ...arrayBytes(value), hash };
}

function encodeNumber(value: number): Json {
  if (Object.is(value, -0)) return tagged("number", { value: "-0" });
  return Number.isFinite(value) ? value : tagged("number", { value: String(value) });
}

function tagged(tag: string, content: { readonly [key: string]: Json }): Json {
  return { [TAG_KEY]: tag, ...content };
}
