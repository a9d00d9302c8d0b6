import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { isPlainObject, refuse } from "@dreamloop/core/internal";
import { MAX_VALUE_LEVELS } from "./limits.ts";

/** A value as it travels: JSON, and the bytes of its arrays. */
export interface EncodedValue {
  /** The JSON, with references into the payload. */
  readonly json: unknown;
  /** The bytes of all arrays, each at a multiple of 8. */
  readonly payload: Uint8Array;
}

const ARRAY_TYPES: ReadonlyMap<string, string> = new Map([
  ["Uint8Array", "uint8"],
  ["Uint8ClampedArray", "uint8"],
  ["Int8Array", "int8"],
  ["Uint16Array", "uint16"],
  ["Int16Array", "int16"],
  ["Uint32Array", "uint32"],
  ["Int32Array", "int32"],
  ["BigUint64Array", "uint64"],
  ["BigInt64Array", "int64"],
  ["Float32Array", "float32"],
  ["Float64Array", "float64"],
]);

const ALIGNMENT = 8;

/** Puts a mapping of inputs into the form in which it travels; functions in it are left out, and what is neither plain nor a typed array is refused. */
export function encodeValue(value: unknown, path: string): EncodedValue {
  const arrays: Uint8Array[] = [];
  let size = 0;
  const put = (bytes: Uint8Array): { readonly offset: number; readonly bytes: number } => {
    const offset = size;
    arrays.push(bytes);
    size += Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT;
    return { offset, bytes: bytes.length };
  };
  const encode = (part: unknown, place: string, levels: number): unknown => {
    if (part === null || typeof part === "string" || typeof part === "boolean") return part;
    if (typeof part === "number") return Number.isFinite(part) ? part : refuse(place, "a finite number", part);
    if (typeof part !== "object") return refuse(place, "a plain value or an array", part);
    if (levels === 0) return refuse(place, `at most ${MAX_VALUE_LEVELS} levels`, part);
    if (ArrayBuffer.isView(part)) {
      const type = ARRAY_TYPES.get(part.constructor.name);
      if (type === undefined) return refuse(place, "a typed array", part);
      const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
      return { $array: { type, shape: [(part as Uint8Array).length], ...put(bytes) } };
    }
    if (Array.isArray(part)) {
      return Array.from(part as readonly unknown[], (each, index) => encode(each, `${place}[${index}]`, levels - 1));
    }
    // Frames are plain but for their class: pictures come as such.
    const entries = Object.entries(part).filter(([, each]) => each !== undefined && typeof each !== "function");
    if (!isPlainObject(part) && !("data" in part)) return refuse(place, "a plain value or an array", part);
    if (entries.some(([name]) => name.startsWith("$"))) return refuse(place, 'names that do not begin with "$"', part);
    return Object.fromEntries(entries.map(([name, each]) => [name, encode(each, `${place}.${name}`, levels - 1)]));
  };
  const json = encode(value, path, MAX_VALUE_LEVELS);
  return { json, payload: joined(arrays, size) };
}

function joined(arrays: readonly Uint8Array[], size: number): Uint8Array {
  const payload = new Uint8Array(size);
  let offset = 0;
  for (const bytes of arrays) {
    payload.set(bytes, offset);
    offset += Math.ceil(bytes.length / ALIGNMENT) * ALIGNMENT;
  }
  return payload;
}

/** Joins values under names into one payload, so that one message carries them all. */
export function encodeValues<Name extends string>(
  values: Readonly<Record<Name, unknown>>,
  path: string,
): { readonly json: Readonly<Record<Name, Record<string, unknown>>>; readonly payload: Uint8Array } {
  const { json, payload } = encodeValue(values, path);
  if (!isPlainObject(json)) throw new DreamloopError(ERROR_CODES.internal, `${path}: a mapping became something else`);
  return { json: json as Record<Name, Record<string, unknown>>, payload };
}
