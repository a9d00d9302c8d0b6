import { DreamloopError, ERROR_CODES } from "../dreamloop-error.ts";
import { readContainer, within, type Reader } from "./reader.ts";

/** Marks values that a factory has made, so that they pass again without work, whichever copy of the package made them. */
const MADE = Symbol.for("dreamloop.made");

/** One reader for each field of `T`. */
export type FieldReaders<T> = {
  readonly [Field in keyof T]-?: Reader<T[Field]>;
};

/** Whether `value` came out of the factory of `typeName`. */
export function isMade(value: unknown, typeName: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  // Its own mark: what inherits from a made value is another object. And one that only a factory sets, on what it has frozen.
  const mark = Object.getOwnPropertyDescriptor(value, MADE);
  return mark !== undefined && mark.value === typeName && mark.enumerable === false && Object.isFrozen(value);
}

/** Marks and freezes a value that has been validated; the mark is invisible to enumeration, equality and cloning. */
export function markMade<T extends object>(value: T, typeName: string): T {
  Object.defineProperty(value, MADE, { value: typeName });
  return Object.freeze(value);
}

/** Throws `unknown_key` when `value` has a key that is not in `known`, naming the nearest known one, and `invalid_value` when it is no object. */
export function refuseUnknownKeys(value: unknown, known: readonly string[], typeName: string): void {
  refuseOtherKeys(readContainer(value, typeName, "an object"), known, typeName);
}

function refuseOtherKeys(given: object, known: readonly string[], typeName: string): void {
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const near = nearest(key, known);
    const hint = near === undefined ? "." : `; did you mean ${JSON.stringify(near)}?`;
    throw new DreamloopError(
      ERROR_CODES.unknownKey,
      `${typeName}.${clipped(key)}: unknown key${hint} Known keys: ${known.join(", ") || "none"}`,
    );
  }
}

/** A record's own value of that name: a polluted `Object.prototype` gives none. */
function own(given: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(given, name) ? given[name] : undefined;
}

/** A name from outside as it may stand in a message. */
function clipped(name: string): string {
  return name.length > 60 ? `${name.slice(0, 40)}… (${name.length} characters)` : name;
}

/**
 * Makes the factory of a record type: validates every field, refuses unknown keys, fills defaults, copies and freezes.
 * A value that already came out of the factory is returned as it is. `check` may refuse combinations of fields.
 */
export function recordFactory<T extends object>(
  typeName: string,
  fields: FieldReaders<T>,
  check?: (value: T) => void,
): (value: unknown) => T {
  const names = Object.keys(fields) as (keyof T & string)[];
  return (value) => {
    if (isMade(value, typeName)) return value as T;
    const given = readContainer(value, typeName, "an object");
    refuseOtherKeys(given, names, typeName);
    const result = {} as T;
    for (const name of names) {
      const read: Reader<T[keyof T]> = fields[name];
      const entry = read(own(given, name), `${typeName}.${name}`);
      if (entry !== undefined) result[name] = entry as T[keyof T & string];
    }
    check?.(result);
    return markMade(result, typeName);
  };
}

/** Turns a factory into a reader for a field of another record; the error names both places. */
export function made<T>(factory: (value: unknown) => T): Reader<T> {
  return (value, path) => within(path, () => factory(value));
}

/** Reads a fixed record without the factory's mark: for payloads and messages that are parts of something else. */
export function shape<T extends object>(
  fields: FieldReaders<T>,
  options: { readonly allowUnknown?: boolean } = {},
): Reader<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  return (value, path) => {
    const given = readContainer(value, path, "a mapping (a plain object)");
    if (options.allowUnknown !== true) refuseOtherKeys(given, names, path);
    const result = options.allowUnknown === true ? ({ ...given } as T) : ({} as T);
    for (const name of names) {
      const read: Reader<T[keyof T]> = fields[name];
      const entry = read(own(given, name), `${path}.${name}`);
      if (entry !== undefined) result[name] = entry as T[keyof T & string];
    }
    return Object.freeze(result);
  };
}

/** A longer word is nobody's slip of the pen, and comparing it costs its length squared. */
const MAX_NEAR_LENGTH = 128;

/** The candidate nearest to `word` by edit distance, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > MAX_NEAR_LENGTH) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const substituted = previous[column - 1] + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(previous[column] + 1, current[column - 1] + 1, substituted));
    }
    previous = current;
  }
  return previous[to.length];
}
