import { refuse, type Mapping } from "../foundation/validate/reader.ts";
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
  /** Further facts (units, ranges); `neutral` is added. */
  readonly metadata?: Mapping;
}

/**
 * Makes a modality with typed values: `modality<{ pull: number }>({ name: "crane", neutral: { pull: 0 } })`. Refuses what
 * `canonicalModality` refuses, and a neutral value that lacks a declared field.
 */
export function modality<Value extends object>(input: ModalityInput<Value>): ModalityOf<Value> {
  if (typeof input !== "object" || input === null) refuse("ModalityInput", "an object", input);
  refuseUnknownKeys(input, ["name", "neutral", "payloadFields", "metadata"], "ModalityInput");
  const { name, neutral, metadata } = input;
  const made = canonicalModality({
    name,
    payloadFields: input.payloadFields ?? Object.keys(neutral ?? {}),
    metadata: neutral === undefined ? (metadata ?? {}) : { ...metadata, neutral: Object.freeze({ ...neutral }) },
  });
  if (neutral !== undefined) canonicalValue(made, neutral);
  return made;
}

/** The value that stands in when every device is idle, `undefined` for a modality that has none. */
export function neutralValue(modality: CanonicalModality): Mapping | undefined {
  const { neutral } = modality.metadata;
  return neutral === undefined ? undefined : canonicalValue(modality, neutral);
}
