import {
  finite,
  flag,
  listOf,
  mappingOf,
  oneOf,
  optional,
  refuse,
  text,
  within,
  type Mapping,
  type Reader,
} from "../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import { canonicalModality, canonicalValue, type CanonicalModality } from "./canonical-inputs.ts";

declare const VALUE: unique symbol;

/** A modality whose values have a known type; the type exists for the compiler only. */
export interface ModalityOf<Value extends object> extends CanonicalModality {
  /** Never there: carries the type of the values. */
  readonly [VALUE]?: Value;
}

/** The type of a modality's values. */
export type ModalityValue<Modality> = Modality extends ModalityOf<infer Value> ? Value : never;

/** What `modality` takes. */
export interface ModalityInput<Value extends object> {
  /** Its name, such as `driver_command`; not blank. */
  readonly name: string;
  /** The value that stands in when every device is idle; its fields are in every value. Absent: no value then. */
  readonly neutral?: Value;
  /** Fields that every value has; default those of `neutral`. */
  readonly payloadFields?: readonly (keyof Value & string)[];
  /** What becomes of the values of several devices in one window; default `whole`. */
  readonly combine?: ModalityCombination;
  /** Bounds of number fields, both inclusive, by field; scripted values outside of them are refused. Default none. */
  readonly ranges?: Readonly<Partial<Record<keyof Value & string, readonly [number, number]>>>;
  /** Further facts (units); `neutral` and `ranges` are added. */
  readonly metadata?: Mapping;
}

/** How the values of several devices become one. */
export const MODALITY_COMBINATIONS = {
  /** The device of the highest priority that is not idle gives the whole value. */
  whole: "whole",
  /** Each field, a number or a flag, comes from the device that was last really used for it. Needs a neutral value. */
  fields: "fields",
  /** What any device holds or has pressed counts, as in `actions`. */
  union: "union",
} as const;

/** One of `MODALITY_COMBINATIONS`. */
export type ModalityCombination = (typeof MODALITY_COMBINATIONS)[keyof typeof MODALITY_COMBINATIONS];

/**
 * Makes a modality with typed values: `modality<{ pull: number }>({ name: "crane", neutral: { pull: 0 } })`. Refuses what
 * `canonicalModality` refuses, and a neutral value that lacks a declared field.
 */
export function modality<Value extends object>(input: ModalityInput<Value>): ModalityOf<Value> {
  if (typeof input !== "object" || input === null) refuse("ModalityInput", "an object", input);
  refuseUnknownKeys(input, ["name", "neutral", "payloadFields", "combine", "ranges", "metadata"], "ModalityInput");
  const { name, neutral } = input;
  const combine = oneOf(MODALITY_COMBINATIONS)(input.combine ?? "whole", "ModalityInput.combine");
  if (combine === "fields" && !Object.values(neutral ?? { none: undefined }).every(isLevel)) {
    refuse("ModalityInput.neutral", "numbers and flags, as their fields are combined", neutral);
  }
  const ranges = optional(mappingOf(readRange))(input.ranges, "ModalityInput.ranges");
  const metadata = {
    ...input.metadata,
    ...(combine === "whole" ? {} : { combine }),
    ...(ranges === undefined ? {} : { ranges }),
  };
  const made = canonicalModality({
    name,
    payloadFields: input.payloadFields ?? Object.keys(neutral ?? {}),
    metadata: neutral === undefined ? metadata : { ...metadata, neutral: Object.freeze({ ...neutral }) },
  });
  if (neutral !== undefined) canonicalValue(made, neutral);
  return made;
}

const readRange: Reader<readonly [number, number]> = (value, path) => {
  const [min, max] = listOf(finite(), { min: 2, max: 2 })(value, path);
  if (max < min) refuse(path, "a lower bound and an upper bound", value);
  return Object.freeze([min, max] as const);
};

/**
 * Reads a value that no converter made: every field of the neutral value has its type, numbers are finite, and within the modality's ranges. The error
 * names `path` and the field.
 */
export function readModalityValue(modality: CanonicalModality, value: unknown, path: string): Mapping {
  const read = within(path, () => canonicalValue(modality, value));
  const { ranges = {} } = modality.metadata as {
    readonly ranges?: Readonly<Record<string, readonly [number, number]>>;
  };
  for (const [name, atRest] of Object.entries(neutralValue(modality) ?? {})) {
    const place = `${path}.${name}`;
    const [min, max] = Object.hasOwn(ranges, name) ? ranges[name] : [undefined, undefined];
    if (typeof atRest === "number") finite({ min, max })(read[name], place);
    else if (typeof atRest === "boolean") flag(read[name], place);
    else if (Array.isArray(atRest)) listOf(text())(read[name], place);
  }
  return read;
}

function isLevel(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** How the values of several devices of a modality become one. */
export function combinationOf(modality: CanonicalModality): ModalityCombination {
  const { combine } = modality.metadata;
  return combine === "fields" || combine === "union" ? combine : "whole";
}

/** The value that stands in when every device is idle, `undefined` for a modality that has none. */
export function neutralValue(modality: CanonicalModality): Mapping | undefined {
  const { neutral } = modality.metadata;
  return neutral === undefined ? undefined : canonicalValue(modality, neutral);
}
