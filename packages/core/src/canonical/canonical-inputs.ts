import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { listOf, mapping, refuse, text, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { made, recordFactory } from "../foundation/validate/record.ts";

/** A kind of device-independent, level-triggered value. */
export interface CanonicalModality {
  /** Its name, such as `driver_command`; not blank. */
  readonly name: string;
  /** Fields that each value has. */
  readonly payloadFields: readonly string[];
  /** Further facts (units, ranges); default empty. */
  readonly metadata: Mapping;
}

/** What the factory of `CanonicalModality` takes. */
export type CanonicalModalityInput = Partial<CanonicalModality> & Pick<CanonicalModality, "name">;

const makeModality = recordFactory<CanonicalModality>("CanonicalModality", {
  name: text({ maxLength: 128 }),
  payloadFields: withDefault(listOf(text({ maxLength: 128 })), Object.freeze([])),
  metadata: withDefault(mapping, Object.freeze({})),
});

/** Makes a `CanonicalModality`. */
export function canonicalModality(input: CanonicalModalityInput): CanonicalModality {
  return makeModality(input);
}

/** Freezes a value of `modality`; throws when it is no mapping or lacks a declared field. */
export function canonicalValue(modality: CanonicalModality, value: unknown): Mapping {
  const copy = mapping(value, `CanonicalInputs.values.${modality.name}`);
  const missing = modality.payloadFields.filter((field) => !Object.hasOwn(copy, field));
  if (missing.length > 0) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `CanonicalInputs.values.${modality.name}: lacks ${missing.map((field) => JSON.stringify(field)).join(", ")}`,
    );
  }
  return copy;
}

/** The modalities that a source can supply through the registered converters. */
export interface CanonicalInputSchema {
  /** The modalities, without repetition. */
  readonly modalities: readonly CanonicalModality[];
}

const makeSchema = recordFactory<CanonicalInputSchema>(
  "CanonicalInputSchema",
  {
    modalities: withDefault(
      listOf(made((value) => canonicalModality(value as CanonicalModalityInput))),
      Object.freeze([]),
    ),
  },
  (schema) => {
    const seen = new Set<string>();
    for (const modality of schema.modalities) {
      if (seen.has(modality.name)) refuse("CanonicalInputSchema.modalities", "each name once", modality.name);
      seen.add(modality.name);
    }
  },
);

/** Makes a `CanonicalInputSchema`; refuses a name that stands twice. */
export function canonicalInputSchema(
  input: { readonly modalities?: readonly CanonicalModalityInput[] } = {},
): CanonicalInputSchema {
  return makeSchema(input);
}

/** Whether the schema has the modality of that name with all the fields that are asked for. */
export function supportsModality(schema: CanonicalInputSchema, needed: CanonicalModality): boolean {
  return schema.modalities.some(
    (offered) =>
      offered.name === needed.name && needed.payloadFields.every((field) => offered.payloadFields.includes(field)),
  );
}

/** Device-independent values by modality, level-triggered: present in every step. */
export interface CanonicalInputs {
  /** Values by modality name. */
  readonly values: Readonly<Record<string, Mapping>>;
  /** `canonicalSources` says which converter supplied each; further facts may be added. */
  readonly metadata: Mapping;
}

const makeInputs = recordFactory<CanonicalInputs>("CanonicalInputs", {
  values: withDefault((value, path) => {
    const copy = mapping(value, path);
    return Object.freeze(
      Object.fromEntries(Object.entries(copy).map(([name, entry]) => [name, mapping(entry, `${path}.${name}`)])),
    );
  }, Object.freeze({})),
  metadata: withDefault(mapping, Object.freeze({})),
});

/** Makes `CanonicalInputs`. */
export function canonicalInputs(
  input: {
    readonly values?: Readonly<Record<string, Mapping>>;
    readonly metadata?: Mapping;
  } = {},
): CanonicalInputs {
  return makeInputs(input);
}
