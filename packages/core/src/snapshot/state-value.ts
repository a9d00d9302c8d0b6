import { isBinaryValue, type BinaryValue } from "./content/array-types.ts";
import { isPlainObject, refuse, type Json } from "../foundation/validate/reader.ts";

/** The key that marks what JSON has no notation for. */
const TAG = "$";

/** How deep the JSON of a state may be nested; a mapping or a list is one level, a map three. */
export const MAX_STATE_DEPTH = 60;

/** A state as JSON beside its arrays, to which the JSON refers by their index. */
export interface EncodedState {
  /** Everything but the content of arrays. */
  readonly json: Json;
  /** Every array once, in the order in which it was met; the memory is the state's own. */
  readonly arrays: readonly BinaryValue[];
}

/**
 * A state as JSON and arrays. Unlike in traces, the order of keys is kept, since a world may go by it; so are maps, sets, dates, `undefined`, big
 * integers and the numbers that JSON lacks. An array that occurs twice stays one array. Throws `invalid_value`, naming the place, for
 * functions, class instances, symbols, holes and what is nested deeper than `MAX_STATE_DEPTH`.
 */
export function encodeState(value: unknown, path: string): EncodedState {
  const arrays: BinaryValue[] = [];
  const indexes = new Map<BinaryValue, number>();
  const indexOf = (array: BinaryValue): number => {
    const known = indexes.get(array);
    if (known !== undefined) return known;
    indexes.set(array, arrays.length);
    return arrays.push(array) - 1;
  };
  return { json: encode(value, path, indexOf, 0), arrays };
}

function encode(value: unknown, path: string, indexOf: (array: BinaryValue) => number, depth: number): Json {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Object.is(value, -0) || !Number.isFinite(value)
        ? { [TAG]: "number", value: Object.is(value, -0) ? "-0" : String(value) }
        : value;
    case "undefined":
      return { [TAG]: "undefined" };
    case "bigint":
      return { [TAG]: "bigint", value: value.toString() };
    case "object":
      break;
    default:
      refuse(path, PLAIN, value);
  }
  if (value === null) return null;
  if (depth >= MAX_STATE_DEPTH) refuse(path, `a state nested at most ${MAX_STATE_DEPTH} deep`, value);
  const inner = (entry: unknown, place: string, levels = 1): Json =>
    encode(entry, `${path}${place}`, indexOf, depth + levels);
  if (Array.isArray(value)) {
    return Array.from({ length: value.length }, (_, index) => {
      if (!Object.hasOwn(value, index)) refuse(`${path}[${index}]`, "a list without holes", value);
      return inner(value[index], `[${index}]`);
    });
  }
  if (isBinaryValue(value)) return { [TAG]: "array", index: indexOf(value) };
  if (isPlainObject(value)) {
    const keys = Object.keys(value);
    const isTagged = keys.includes(TAG);
    const entries = keys.map((key) => [key, inner(value[key], `.${key}`, isTagged ? 2 : 1)] as const);
    const copy = Object.fromEntries(entries);
    return isTagged ? { [TAG]: "mapping", value: copy } : copy;
  }
  switch (Object.prototype.toString.call(value)) {
    case "[object Map]":
      return {
        [TAG]: "map",
        entries: [...(value as Map<unknown, unknown>)].map(([key, entry], index) => [
          inner(key, `.key(${index})`, 3),
          inner(entry, `.value(${index})`, 3),
        ]),
      };
    case "[object Set]":
      return {
        [TAG]: "set",
        entries: [...(value as Set<unknown>)].map((entry, index) => inner(entry, `.(${index})`, 2)),
      };
    case "[object Date]":
      return { [TAG]: "date", value: encode(Number(value), path, indexOf, depth + 1) };
    default:
      return refuse(path, PLAIN, value);
  }
}

const PLAIN = "plain data (numbers, text, lists, mappings, maps, sets, typed arrays) as a snapshot can hold it";

/** The state that `json` stands for; `arrays` are its arrays by index. Throws `invalid_value` naming the place for what no state encodes to. */
export function decodeState(json: Json, arrays: readonly unknown[], path: string): unknown {
  return decode(json, path, arrays, 0);
}

function decode(json: Json, path: string, arrays: readonly unknown[], depth: number): unknown {
  if (typeof json !== "object" || json === null) return json;
  if (depth > MAX_STATE_DEPTH) refuse(path, `a state nested at most ${MAX_STATE_DEPTH} deep`, json);
  const inner = (entry: Json, place: string): unknown => decode(entry, `${path}${place}`, arrays, depth + 1);
  if (Array.isArray(json)) return (json as readonly Json[]).map((entry, index) => inner(entry, `[${index}]`));
  const fields = json as { readonly [key: string]: Json };
  const mappingOf = (given: { readonly [key: string]: Json }): unknown =>
    Object.fromEntries(Object.entries(given).map(([key, entry]) => [key, inner(entry, `.${key}`)] as const));
  if (!Object.hasOwn(fields, TAG)) return mappingOf(fields);
  const { value, entries, index } = fields;
  switch (fields[TAG]) {
    case "number":
      if (typeof value !== "string" || !SPECIAL_NUMBERS.includes(value)) refuse(path, "-0, NaN or an infinity", value);
      return Number(value);
    case "undefined":
      return undefined;
    case "bigint":
      if (typeof value !== "string" || !/^-?[0-9]{1,400}$/.test(value)) refuse(path, "a whole number", value);
      return BigInt(value);
    case "date":
      // eslint-disable-next-line dreamloop/universal-globals -- the time that was stored, and not that of the clock
      return new Date(inner(value, ".value") as number);
    case "array":
      if (typeof index !== "number" || !(index in arrays)) refuse(path, "the index of an array", index);
      return arrays[index];
    case "mapping":
      if (!isPlainObject(value)) refuse(path, "a mapping", value);
      return mappingOf(value);
    case "set":
      return new Set(listOf(entries, path).map((entry, at) => inner(entry, `.(${at})`)));
    case "map":
      return new Map(
        listOf(entries, path).map((entry, at) => {
          const pair = listOf(entry, path);
          if (pair.length !== 2) refuse(path, "a key and a value", entry);
          return [inner(pair[0], `.key(${at})`), inner(pair[1], `.value(${at})`)] as const;
        }),
      );
    default:
      return refuse(`${path}.${TAG}`, "a kind of value that a state has", fields[TAG]);
  }
}

const SPECIAL_NUMBERS = ["-0", "NaN", "Infinity", "-Infinity"];

function listOf(value: Json | undefined, path: string): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : refuse(path, "a list", value);
}
