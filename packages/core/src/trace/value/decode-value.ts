import { contentAddress, MAX_ARRAY_BYTES } from "../../snapshot/content/content-address.ts";
import { finite, isPlainObject, oneOf, optional, refuse, text, type Json } from "../../foundation/validate/reader.ts";
import { shape } from "../../foundation/validate/record.ts";
import { elementBytesOf } from "../../snapshot/content/array-types.ts";
import { MAX_VALUE_DEPTH, TAG_KEY } from "./trace-value.ts";

/** What a trace says of an array: its content may stand in the line or elsewhere under its address. */
export interface ArrayReference {
  /** Name of its type, such as `float32`. */
  readonly type: string;
  /** Bytes of its content. */
  readonly bytes: number;
  /** Address of its content. */
  readonly hash: string;
  /** The content as base64, when it stands in the line. */
  readonly data?: string;
}

const readReference = shape<ArrayReference & { readonly $: string }>({
  $: text(),
  type: text({ maxLength: 32 }),
  bytes: finite({ integer: true, min: 0, max: MAX_ARRAY_BYTES }),
  hash: contentAddress,
  data: optional(text({ allowBlank: true })),
});

const SPECIAL_NUMBERS = { negativeZero: "-0", notANumber: "NaN", infinity: "Infinity", negative: "-Infinity" } as const;
const readSpecial = shape<{ readonly $: string; readonly value: string }>({ $: text(), value: oneOf(SPECIAL_NUMBERS) });
const readBigInt = shape<{ readonly $: string; readonly value: string }>({
  $: text(),
  value: text({ maxLength: 400 }),
});
const readEscaped = shape<{ readonly $: string; readonly value: unknown }>({ $: text(), value: (value) => value });

/** The value that `json` stands for; `makeArray` gives the arrays. Throws `invalid_value` naming the place for unknown tags. */
export function decodeValue(
  json: Json,
  path: string,
  makeArray: (reference: ArrayReference, path: string) => unknown,
  depth = 0,
): unknown {
  if (depth > MAX_VALUE_DEPTH) refuse(path, `values nested at most ${MAX_VALUE_DEPTH} deep`, json);
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) {
    return (json as readonly Json[]).map((entry, index) =>
      decodeValue(entry, `${path}[${index}]`, makeArray, depth + 1),
    );
  }
  const fields = json as { readonly [key: string]: Json };
  if (!Object.hasOwn(fields, TAG_KEY)) return decodeEntries(fields, path, makeArray, depth);
  switch (fields[TAG_KEY]) {
    case "number":
      return Number(readSpecial(json, path).value);
    case "bigint":
      return decodeBigInt(readBigInt(json, path).value, path);
    case "array":
      return makeArray(readArrayReference(json, path), path);
    case "mapping": {
      const { value } = readEscaped(json, path);
      if (!isPlainObject(value)) refuse(`${path}.value`, "a mapping", value);
      return decodeEntries(value as { readonly [key: string]: Json }, path, makeArray, depth);
    }
    default:
      return refuse(`${path}.${TAG_KEY}`, "one of number, bigint, array, mapping", fields[TAG_KEY]);
  }
}

function readArrayReference(json: Json, path: string): ArrayReference {
  const { $: _tag, ...reference } = readReference(json, path);
  if (reference.bytes % elementBytesOf(reference.type, `${path}.type`) !== 0) {
    refuse(`${path}.bytes`, `a whole number of ${reference.type} elements`, reference.bytes);
  }
  return reference;
}

function decodeEntries(
  fields: { readonly [key: string]: Json },
  path: string,
  makeArray: (reference: ArrayReference, path: string) => unknown,
  depth: number,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(fields).map(
    ([key, entry]) => [key, decodeValue(entry, `${path}.${key}`, makeArray, depth + 1)] as const,
  );
  return Object.fromEntries(entries);
}

function decodeBigInt(value: string, path: string): bigint {
  return /^-?(0|[1-9][0-9]*)$/.test(value) ? BigInt(value) : refuse(path, "a whole number in decimal digits", value);
}
