import {
  canonicalInputSchema,
  supportsModality,
  type CanonicalInputSchema,
  type CanonicalModality,
} from "../canonical/canonical-inputs.ts";
import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { modelInputSchema, type ModelInputSchema, type ModelInputSchemaInput } from "./model-input-schema.ts";
import { modelInputs, type ModelInputs, type ModelInputsInput } from "./model-inputs.ts";
import { refuse } from "../foundation/validate/reader.ts";
import { isMade, refuseUnknownKeys } from "../foundation/validate/record.ts";
import type { InputMapping } from "./input-mapping.ts";
import { mappingMembers } from "./mapping-set.ts";

/** A field of a model, by the slot in which it is given and its name. */
export interface ModelFieldReference {
  /** The slot. */
  readonly slot: "initial" | "step";
  /** The field's name; for an unmet choice the whole choice, such as `prompt or (prompt and firstFrame)`. */
  readonly name: string;
}

/** A required field that nothing supplies. */
export interface MissingModelField extends ModelFieldReference {
  /** Names of the mappings that would make it if they could be fed. */
  readonly producers: readonly string[];
}

/** A mapping that the source cannot feed. */
export interface UnavailableMapping {
  /** Its name. */
  readonly name: string;
  /** The mapping. */
  readonly mapping: InputMapping;
  /** Modalities that it needs and the source cannot supply, or not with all the fields. */
  readonly missingModalities: readonly CanonicalModality[];
}

/** What `checkMappingCompatibility` takes. */
export interface MappingCompatibilityOptions {
  /** What the source can supply; from `InputCanonicalizer.canonicalSchema(source)`. */
  readonly canonicalSchema: CanonicalInputSchema;
  /** What the model needs. */
  readonly modelSchema: ModelInputSchema | ModelInputSchemaInput;
  /** The mappings; a set counts as its members. */
  readonly mappings: InputMapping | readonly InputMapping[];
  /** Inputs that the caller gives: initial fields in it are satisfied. */
  readonly modelInputs?: ModelInputs | ModelInputsInput;
}

/** Whether a source can drive a model through mappings and, if not, exactly what is missing. */
export interface MappingCompatibility {
  /** Whether every required field is supplied. */
  readonly canDrive: boolean;
  /** Modalities that some mapping needs and the source cannot supply, each name once. */
  readonly missingModalities: readonly CanonicalModality[];
  /** Required fields that neither the caller nor a mapping which can be fed supplies. */
  readonly missingRequiredFields: readonly MissingModelField[];
  /** Required fields that are supplied; of alternatives the members of those that are complete. */
  readonly satisfiedRequiredFields: readonly ModelFieldReference[];
  /** Fields that are not required and are supplied nevertheless. */
  readonly availableOptionalFields: readonly ModelFieldReference[];
  /** Mappings that cannot be fed: a run drops them. They block only as the sole producer of a required field. */
  readonly unavailableMappings: readonly UnavailableMapping[];
  /** Throws `incompatible_inputs` saying what is missing and which mapping would have made it; does nothing when `canDrive`. */
  raiseIfIncompatible(): void;
}

/**
 * Answers, before anything heavy loads, whether a source can drive a model through mappings. Each mapping is judged by itself: one that
 * cannot be fed is dropped and reported. Optional modalities never block.
 */
export function checkMappingCompatibility(options: MappingCompatibilityOptions): MappingCompatibility {
  const keys = ["canonicalSchema", "modelSchema", "mappings", "modelInputs"];
  refuseUnknownKeys(options, keys, "MappingCompatibilityOptions");
  const canonicalSchema = canonicalInputSchema(options.canonicalSchema);
  const schema = modelInputSchema(options.modelSchema);
  const given = modelInputs(options.modelInputs).initial;
  const mappings = [options.mappings].flat().flatMap((mapping: unknown, index) => {
    if (!isMade(mapping, "InputMapping")) {
      refuse(`MappingCompatibilityOptions.mappings[${index}]`, "the result of inputMapping({...})", mapping);
    }
    return mappingMembers(mapping as InputMapping);
  });
  const unavailable = mappings.flatMap((mapping): readonly UnavailableMapping[] => {
    const missing = mapping.consumes.filter((modality) => !supportsModality(canonicalSchema, modality));
    return missing.length === 0 ? [] : [{ name: mapping.name, mapping, missingModalities: missing }];
  });
  const dropped = unavailable.map(({ mapping }) => mapping);
  const fed = mappings.filter((mapping) => !dropped.includes(mapping));
  const givenNames = Object.keys(given).filter((name) => given[name] !== undefined);
  const supplied = {
    initial: new Set([...givenNames, ...fed.flatMap((mapping) => mapping.producesInitial)]),
    step: new Set(fed.flatMap((mapping) => mapping.producesStep)),
  };
  const fields = [
    ...requiredChoices(schema, supplied.initial),
    ...schema.stepFields.map(({ name, required }) => ({ slot: "step" as const, name, required, names: [name] })),
  ];
  const isSupplied = ({ slot, names }: Candidate): boolean => names.every((name) => supplied[slot].has(name));
  const satisfied = fields.filter(isSupplied);
  const missing = fields
    .filter((field) => field.required && !isSupplied(field))
    .map(({ slot, name, names }) => ({ slot, name, producers: producersOf(dropped, slot, names) }));
  const result = {
    canDrive: missing.length === 0,
    missingModalities: onceByName(unavailable.flatMap(({ missingModalities }) => missingModalities)),
    missingRequiredFields: missing,
    satisfiedRequiredFields: satisfied.filter(({ required }) => required).map(reference),
    availableOptionalFields: satisfied.filter(({ required }) => !required).map(reference),
    unavailableMappings: unavailable,
  };
  return Object.freeze({
    ...result,
    raiseIfIncompatible() {
      if (!result.canDrive) raise(result.missingRequiredFields, unavailable, canonicalSchema);
    },
  });
}

/** Fields, or an unmet choice of fields, that are to be supplied in a slot. */
interface Candidate extends ModelFieldReference {
  readonly required: boolean;
  readonly names: readonly string[];
}

/** The initial fields one by one; where none of the alternatives is complete, the choice as one entry. */
function requiredChoices(schema: ModelInputSchema, supplied: ReadonlySet<string>): readonly Candidate[] {
  const isComplete = (names: readonly string[]): boolean => names.every((name) => supplied.has(name));
  const complete = schema.alternatives.filter(isComplete);
  const inChoice = new Set(schema.alternatives.flat());
  const needed = new Set(complete.flat());
  const single = schema.initialFields.map(({ name, required }) => ({
    slot: "initial" as const,
    name,
    required: inChoice.has(name) ? needed.has(name) : required,
    names: [name],
  }));
  if (schema.alternatives.length === 0 || complete.length > 0) return single;
  const label = schema.alternatives
    .map((names) => (names.length === 1 ? names[0] : `(${names.join(" and ")})`))
    .join(" or ");
  const names = [...inChoice].filter((name) => !supplied.has(name));
  return [...single, { slot: "initial", name: label, required: true, names }];
}

function producersOf(
  dropped: readonly InputMapping[],
  slot: ModelFieldReference["slot"],
  names: readonly string[],
): readonly string[] {
  return dropped
    .filter((mapping) =>
      (slot === "initial" ? mapping.producesInitial : mapping.producesStep).some((name) => names.includes(name)),
    )
    .map(({ name }) => name);
}

function reference({ slot, name }: ModelFieldReference): ModelFieldReference {
  return { slot, name };
}

function onceByName(modalities: readonly CanonicalModality[]): readonly CanonicalModality[] {
  return modalities.filter(({ name }, index) => modalities.findIndex((other) => other.name === name) === index);
}

function raise(
  missing: readonly MissingModelField[],
  unavailable: readonly UnavailableMapping[],
  canonicalSchema: CanonicalInputSchema,
): never {
  const offered = canonicalSchema.modalities.map(({ name }) => name).join(", ") || "nothing";
  const sentences = missing.map(({ slot, name, producers }) => {
    const what = `ModelInputs.${slot}: nothing supplies the required ${JSON.stringify(name)}`;
    const reasons = unavailable
      .filter((mapping) => producers.includes(mapping.name))
      .map((mapping) => {
        const lacks = mapping.missingModalities.map((modality) => describeLack(modality, canonicalSchema));
        return `mapping ${JSON.stringify(mapping.name)} would make it but ${lacks.join(" and ")}`;
      });
    if (reasons.length > 0) return `${what}; ${reasons.join("; ")}`;
    return slot === "initial"
      ? `${what}; no mapping makes it: give it with the initial inputs`
      : `${what}; no mapping makes it: add one that does`;
  });
  throw new DreamloopError(ERROR_CODES.incompatibleInputs, `${sentences.join(". ")}. The source supplies: ${offered}`, {
    details: {
      missingRequiredFields: missing,
      missingModalities: onceByName(unavailable.flatMap(({ missingModalities }) => missingModalities)).map(
        ({ name }) => name,
      ),
    },
  });
}

function describeLack(needed: CanonicalModality, canonicalSchema: CanonicalInputSchema): string {
  const name = JSON.stringify(needed.name);
  const offered = canonicalSchema.modalities.find((modality) => modality.name === needed.name);
  if (offered === undefined) return `no converter can make ${name} from this source`;
  const fields = needed.payloadFields.filter((field) => !offered.payloadFields.includes(field));
  return `the source's ${name} lacks ${fields.map((field) => JSON.stringify(field)).join(", ")}`;
}
