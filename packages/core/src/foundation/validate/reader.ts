import { DreamloopError, ERROR_CODES, isDreamloopError } from "../dreamloop-error.ts";
import type { StandardSchema, StandardSchemaResult } from "./standard-schema.ts";

/** Turns an unknown value into a trusted one, or throws a `DreamloopError` whose message starts with `path`. */
export type Reader<T> = (value: unknown, path: string) => T;

/** Describes a found value in an error message: short, with its type where that helps. */
export function describeFound(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (typeof value === "string") {
    return value.length > 60
      ? `a string of ${value.length} characters starting ${JSON.stringify(value.slice(0, 40))}`
      : JSON.stringify(value);
  }
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint")
    return `${typeof value} ${String(value)}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  const name = (Object.getPrototypeOf(value) as { constructor?: { name?: string } } | null)?.constructor?.name;
  if (ArrayBuffer.isView(value) && "length" in value) return `a ${name ?? "typed array"} of ${String(value.length)}`;
  return name === undefined || name === "Object" ? "an object" : `an object of class ${name}`;
}

/** Throws `invalid_value`: `path: expected …, found …`. */
export function refuse(path: string, expected: string, found: unknown): never {
  throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: expected ${expected}, found ${describeFound(found)}`);
}

/** Bounds of a string: `maxLength` in UTF-16 units, default unlimited; `allowBlank` default false. */
export interface TextLimits {
  /** Greatest length in UTF-16 units. */
  readonly maxLength?: number;
  /** Whether a string that is empty after trimming passes. */
  readonly allowBlank?: boolean;
}

/** Reads a string; blank (empty after trimming) is refused unless allowed. */
export function text(limits: TextLimits = {}): Reader<string> {
  return (value, path) => {
    if (typeof value !== "string") refuse(path, "a string", value);
    if (limits.allowBlank !== true && value.trim() === "") refuse(path, "a string that is not blank", value);
    if (limits.maxLength !== undefined && value.length > limits.maxLength) {
      refuse(path, `at most ${limits.maxLength} characters`, value);
    }
    return value;
  };
}

/** Bounds of a number, both inclusive; `integer` asks for a safe integer. */
export interface NumberLimits {
  /** Least allowed value. */
  readonly min?: number;
  /** Greatest allowed value. */
  readonly max?: number;
  /** Whether only safe integers pass. */
  readonly integer?: boolean;
  /** Whether the value must be above `min`, not equal to it. */
  readonly aboveMin?: boolean;
}

/** Reads a finite number within bounds; a boolean is not a number. */
export function finite(limits: NumberLimits = {}): Reader<number> {
  const parts = [limits.integer === true ? "an integer" : "a finite number"];
  if (limits.min !== undefined) parts.push(limits.aboveMin === true ? `above ${limits.min}` : `at least ${limits.min}`);
  if (limits.max !== undefined) parts.push(`at most ${limits.max}`);
  const expected = parts.length === 1 ? parts[0] : `${parts[0]} ${parts.slice(1).join(" and ")}`;
  return (value, path) => {
    if (typeof value !== "number" || !Number.isFinite(value)) refuse(path, expected, value);
    if (limits.integer === true && !Number.isSafeInteger(value)) {
      // Beyond them neighbours cannot be told apart, so that they are the bound where none is named.
      const bound =
        Number.isInteger(value) && limits.max === undefined ? `, not beyond ±${Number.MAX_SAFE_INTEGER}` : "";
      refuse(path, `${expected}${bound}`, value);
    }
    if (limits.min !== undefined && (limits.aboveMin === true ? value <= limits.min : value < limits.min)) {
      refuse(path, expected, value);
    }
    if (limits.max !== undefined && value > limits.max) refuse(path, expected, value);
    return Object.is(value, -0) ? 0 : value;
  };
}

/** Reads a boolean. */
export const flag: Reader<boolean> = (value, path) => {
  if (typeof value !== "boolean") refuse(path, "true or false", value);
  return value;
};

/** Reads a function. */
export function callable<F extends (...args: never[]) => unknown>(): Reader<F> {
  return (value, path) => {
    if (typeof value !== "function") refuse(path, "a function", value);
    return value as F;
  };
}

/** Reads one member of an `as const` enum object. */
export function oneOf<E extends Readonly<Record<string, string>>>(members: E): Reader<E[keyof E]> {
  const allowed = Object.values(members);
  return (value, path) => {
    if (typeof value !== "string" || !allowed.includes(value)) {
      refuse(path, `one of ${allowed.map((member) => JSON.stringify(member)).join(", ")}`, value);
    }
    return value as E[keyof E];
  };
}

/** Reads a value that may be absent (`undefined`). */
export function optional<T>(reader: Reader<T>): Reader<T | undefined> {
  return (value, path) => (value === undefined ? undefined : reader(value, path));
}

/** Reads a value, or gives `fallback` when it is absent (`undefined`). */
export function withDefault<T>(reader: Reader<T>, fallback: T): Reader<T> {
  return (value, path) => (value === undefined ? fallback : reader(value, path));
}

/** Reads a list, each entry by `reader`; the result is a frozen copy. */
export function listOf<T>(
  reader: Reader<T>,
  limits: { readonly min?: number; readonly max?: number } = {},
): Reader<readonly T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) refuse(path, "a list", value);
    if (limits.min !== undefined && value.length < limits.min) refuse(path, `a list of at least ${limits.min}`, value);
    if (limits.max !== undefined && value.length > limits.max) refuse(path, `a list of at most ${limits.max}`, value);
    // Not `map`: it passes over the holes of a sparse list.
    return Object.freeze(Array.from(value as readonly unknown[], (entry, index) => reader(entry, `${path}[${index}]`)));
  };
}

/** An immutable mapping from names to values that the reader of the field does not look into. */
export type Mapping = Readonly<Record<string, unknown>>;

/**
 * Reads what a record or mapping is made of: the one reader of containers, behind every factory. The result is a shallow copy of the
 * object's own values, each read once, so that what changes or answers differently later has no effect. Refuses what is no plain object (lists,
 * promises, maps, dates, class instances) and values that are computed by getters.
 */
export function readContainer(value: unknown, path: string, expected: string): Record<string, unknown> {
  if (!isPlainObject(value)) refuse(path, expected, value);
  let copy: Record<string, unknown>;
  try {
    refuseGetters(value, path);
    copy = { ...value };
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    // A proxy may throw at any touch.
    throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: expected ${expected}, found one that cannot be read`, {
      cause: error,
    });
  }
  return copy;
}

function refuseGetters(value: object, path: string): void {
  for (const key of Object.keys(value)) {
    if (isComputed(value, key)) {
      throw new DreamloopError(ERROR_CODES.invalidValue, `${path}.${key}: expected a value, found a getter`);
    }
  }
}

/** Reads a mapping with string keys; the result is a frozen shallow copy (what is frozen already is returned as it is), values are carried by reference. */
export const mapping: Reader<Mapping> = (value, path) => {
  if (isPlainObject(value) && isSettled(value)) return value;
  return Object.freeze(readContainer(value, path, "a mapping (a plain object)"));
};

/** Whether a mapping is frozen and holds nothing but values, so that it needs no copy. */
function isSettled(value: object): boolean {
  if (!Object.isFrozen(value)) return false;
  return Object.keys(value).every((key) => !isComputed(value, key));
}

/** Whether a property is computed anew at each look, by a getter. */
function isComputed(value: object, key: string): boolean {
  const property = Object.getOwnPropertyDescriptor(value, key);
  return property !== undefined && !("value" in property);
}

/** Reads a mapping whose values are read by `reader`; the result is a frozen copy. */
export function mappingOf<T>(reader: Reader<T>): Reader<Readonly<Record<string, T>>> {
  return (value, path) => {
    const copy = mapping(value, path);
    return Object.freeze(
      Object.fromEntries(Object.entries(copy).map(([key, entry]) => [key, reader(entry, `${path}.${key}`)])),
    );
  };
}

/** A plain JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Levels of lists and mappings that plain JSON may have; what refers to itself ends there too. */
export const MAX_JSON_DEPTH = 64;

/** Reads plain JSON, frozen and copied in depth; functions, typed arrays, class instances, non-finite numbers and what is nested deeper than `MAX_JSON_DEPTH` are refused. */
export const json: Reader<Json> = (value, path) => readJson(value, path, MAX_JSON_DEPTH);

function readJson(value: unknown, path: string, depth: number): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return finite()(value, path);
  if (!Array.isArray(value) && !isPlainObject(value)) return refuse(path, "plain JSON", value);
  if (depth === 0) refuse(path, `plain JSON that is nested at most ${MAX_JSON_DEPTH} deep`, value);
  if (!Array.isArray(value)) return readJsonMapping(value, path, depth);
  const entries = Array.from(value as readonly unknown[], (entry, index) =>
    readJson(entry, `${path}[${index}]`, depth - 1),
  );
  return Object.freeze(entries);
}

function readJsonMapping(value: object, path: string, depth: number): { readonly [key: string]: Json } {
  const copy = readContainer(value, path, "plain JSON");
  const entries = Object.entries(copy).filter(([, entry]) => entry !== undefined);
  return Object.freeze(
    Object.fromEntries(entries.map(([key, entry]) => [key, readJson(entry, `${path}.${key}`, depth - 1)])),
  );
}

/** Reads a mapping of plain JSON values, frozen and copied in depth; entries that are `undefined` are left out. */
export const jsonMapping: Reader<{ readonly [key: string]: Json }> = (value, path) => {
  if (!isPlainObject(value)) refuse(path, "a mapping (a plain object)", value);
  return readJsonMapping(value, path, MAX_JSON_DEPTH);
};

/** Whether a record has a value of that name itself: `constructor` and its like come with every object and do not count. */
export function hasValue(record: Mapping, name: string): boolean {
  return Object.hasOwn(record, name) && record[name] !== undefined;
}

/** Whether a value is an object literal (or has no prototype), not a class instance, array or null. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // Objects of another realm (a worker, a vm context) have another Object.prototype.
  return Object.getPrototypeOf(prototype) === null && Object.prototype.hasOwnProperty.call(prototype, "isPrototypeOf");
}

/** Reads through a Standard Schema; every issue is listed, an asynchronous schema is refused, and so is one that throws. */
export function throughSchema<Output>(schema: StandardSchema<unknown, Output>): Reader<Output> {
  return (value, path) => {
    const result = validated(schema, value, path);
    if (result.issues === undefined) return result.value;
    const issues = result.issues.map((issue) => {
      const keys = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part));
      return keys.length === 0 ? issue.message : `${keys.join(".")}: ${issue.message}`;
    });
    throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: ${issues.join("; ")}`);
  };
}

function validated<Output>(
  schema: StandardSchema<unknown, Output>,
  value: unknown,
  path: string,
): StandardSchemaResult<Output> {
  let result: unknown;
  try {
    result = schema["~standard"].validate(value);
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(ERROR_CODES.invalidValue, `${path}: the attached schema threw: ${message}`, {
      cause: error,
    });
  }
  if (typeof result !== "object" || result === null) refuse(path, "a result of the attached schema", result);
  const { then } = result as { readonly then?: unknown };
  if (typeof then === "function") {
    // Nobody waits for it, so that its failure would end the process.
    Promise.resolve(result as PromiseLike<unknown>).catch(() => undefined);
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `${path}: the attached schema validates asynchronously; attach a synchronous one`,
    );
  }
  return result as StandardSchemaResult<Output>;
}

/** Reads a Standard Schema itself: an object with a `~standard` property. */
export const standardSchema: Reader<StandardSchema> = (value, path) => {
  const inner = (value as { readonly "~standard"?: { readonly validate?: unknown } } | null | undefined)?.["~standard"];
  if (typeof inner?.validate !== "function") refuse(path, "a Standard Schema", value);
  return value as StandardSchema;
};

/** Runs `read` and, when it refuses, adds where the culprit stood: `Type.field (in place): …`. */
export function within<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!isDreamloopError(error)) throw error;
    const colon = error.message.indexOf(": ");
    const head = error.message.slice(0, colon);
    const message =
      head.includes(" (in ") || colon < 0 ? error.message : `${head} (in ${place}): ${error.message.slice(colon + 2)}`;
    throw new DreamloopError(error.code, message, {
      retryable: error.retryable,
      details: error.details,
    });
  }
}
