import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { StandardSchema } from "../foundation/validate/standard-schema.ts";
import {
  flag,
  hasValue,
  listOf,
  mapping,
  oneOf,
  optional,
  refuse,
  standardSchema,
  text,
  throughSchema,
  withDefault,
  type Mapping,
} from "../foundation/validate/reader.ts";
import { isMade, made, markMade, recordFactory, refuseUnknownKeys } from "../foundation/validate/record.ts";
import { modelInputs, type ModelInputs, type ModelInputsInput } from "./model-inputs.ts";

/** When an initial value may be changed by an update. */
export const UPDATE_POLICIES = {
  /** Only when a session starts or is reset. */
  sessionStart: "session_start",
  /** At any step boundary. */
  stepBoundary: "step_boundary",
} as const;

/** One of `UPDATE_POLICIES`. */
export type UpdatePolicy = (typeof UPDATE_POLICIES)[keyof typeof UPDATE_POLICIES];

/** One named input of a model. */
export interface InputField {
  /** Its name; not blank. */
  readonly name: string;
  /** Whether it must be there; default true. */
  readonly required: boolean;
  /** The modality that it is made from, for people and pickers. */
  readonly modality?: string;
  /** Whether an update may change it; default `session_start`. */
  readonly updatePolicy: UpdatePolicy;
  /** A free tag such as `cache_init`, for people and tools. */
  readonly lifecycle?: string;
  /** A synchronous Standard Schema for the value. */
  readonly schema?: StandardSchema;
  /** Further facts; default empty. */
  readonly metadata: Mapping;
  /** For people; default empty. */
  readonly description: string;
}

/** What the factory of `InputField` takes; a bare string is a required field of that name. */
export type InputFieldInput = string | (Partial<InputField> & Pick<InputField, "name">);

const makeField = recordFactory<InputField>("InputField", {
  name: text({ maxLength: 128 }),
  required: withDefault(flag, true),
  modality: optional(text({ maxLength: 128 })),
  updatePolicy: withDefault(oneOf(UPDATE_POLICIES), UPDATE_POLICIES.sessionStart),
  lifecycle: optional(text({ maxLength: 128 })),
  schema: optional(standardSchema),
  metadata: withDefault(mapping, Object.freeze({})),
  description: withDefault(text({ allowBlank: true }), ""),
});

/** Makes an `InputField`; a blank name is refused. */
export function inputField(input: InputFieldInput): InputField {
  return makeField(typeof input === "string" ? { name: input } : input);
}

/** What a model needs to start and at each step. Presence is checked; values only where a field has a schema. */
export interface ModelInputSchema {
  /** Inputs that start or reset a rollout. */
  readonly initialFields: readonly InputField[];
  /** Inputs of each step. */
  readonly stepFields: readonly InputField[];
  /** Sets of initial fields of which one must be complete; default none. */
  readonly alternatives: readonly (readonly string[])[];
  /** For people; default empty. */
  readonly description: string;
  /** Names of required initial fields that are absent; an unmet choice is one entry such as `prompt or (prompt and firstFrame)`. */
  missingInitial(inputs: ModelInputs | ModelInputsInput): readonly string[];
  /** Names of required step fields that are absent. */
  missingStep(inputs: ModelInputs | ModelInputsInput): readonly string[];
  /** Throws `missing_input` naming what is absent; gives the inputs with initial values as their schemas return them. */
  requireInitial(inputs: ModelInputs | ModelInputsInput): ModelInputs;
  /** Throws `missing_input` naming what is absent; gives the inputs with step and update values as their schemas return them. */
  requireStep(inputs: ModelInputs | ModelInputsInput): ModelInputs;
  /** Gives the inputs with update values as their schemas return them. */
  requireUpdate(inputs: ModelInputs | ModelInputsInput): ModelInputs;
  /** Names in the update slot that no initial field has, or whose policy is `session_start`. */
  refusedUpdates(inputs: ModelInputs | ModelInputsInput): readonly string[];
}

/** What the factory of `ModelInputSchema` takes. */
export interface ModelInputSchemaInput {
  /** Inputs that start or reset a rollout. */
  readonly initialFields?: readonly InputFieldInput[];
  /** Inputs of each step. */
  readonly stepFields?: readonly InputFieldInput[];
  /** Sets of initial fields of which one must be complete. */
  readonly alternatives?: readonly (readonly string[])[];
  /** For people. */
  readonly description?: string;
}

class ModelInputSchemaValue implements ModelInputSchema {
  readonly initialFields: readonly InputField[];
  readonly stepFields: readonly InputField[];
  readonly alternatives: readonly (readonly string[])[];
  readonly description: string;

  constructor(
    initial: readonly InputField[],
    step: readonly InputField[],
    alternatives: readonly (readonly string[])[],
    description: string,
  ) {
    this.initialFields = initial;
    this.stepFields = step;
    this.alternatives = alternatives;
    this.description = description;
    markMade(this, "ModelInputSchema");
  }

  missingInitial(inputs: ModelInputs | ModelInputsInput): readonly string[] {
    const { initial } = modelInputs(inputs);
    const inChoice = new Set(this.alternatives.flat());
    const missing = this.initialFields
      .filter((field) => field.required && !inChoice.has(field.name) && !hasValue(initial, field.name))
      .map((field) => field.name);
    const met = this.alternatives.some((names) => names.every((name) => hasValue(initial, name)));
    if (this.alternatives.length > 0 && !met) {
      missing.push(
        this.alternatives.map((names) => (names.length === 1 ? names[0] : `(${names.join(" and ")})`)).join(" or "),
      );
    }
    return missing;
  }

  missingStep(inputs: ModelInputs | ModelInputsInput): readonly string[] {
    const { step } = modelInputs(inputs);
    return this.stepFields.filter((field) => field.required && !hasValue(step, field.name)).map((field) => field.name);
  }

  requireInitial(inputs: ModelInputs | ModelInputsInput): ModelInputs {
    const given = modelInputs(inputs);
    requirePresent(this.missingInitial(given), "initial");
    const initial = readValues(this.initialFields, given.initial, "initial");
    return initial === given.initial ? given : modelInputs({ ...slotsOf(given), initial });
  }

  requireStep(inputs: ModelInputs | ModelInputsInput): ModelInputs {
    const given = modelInputs(inputs);
    requirePresent(this.missingStep(given), "step");
    const step = readValues(this.stepFields, given.step, "step");
    return this.requireUpdate(step === given.step ? given : given.withStep(step));
  }

  requireUpdate(inputs: ModelInputs | ModelInputsInput): ModelInputs {
    const given = modelInputs(inputs);
    const update = readValues(this.initialFields, given.update, "update");
    return update === given.update ? given : given.withUpdate(update);
  }

  refusedUpdates(inputs: ModelInputs | ModelInputsInput): readonly string[] {
    return Object.keys(modelInputs(inputs).update).filter((name) => {
      const field = this.initialFields.find((candidate) => candidate.name === name);
      return field === undefined || field.updatePolicy === UPDATE_POLICIES.sessionStart;
    });
  }
}

function requirePresent(missing: readonly string[], slot: string): void {
  if (missing.length === 0) return;
  throw new DreamloopError(
    ERROR_CODES.missingInput,
    `ModelInputs.${slot}: missing required ${missing.map((name) => JSON.stringify(name)).join(", ")}`,
    {
      details: { slot, missing },
    },
  );
}

/** The slot with each value as its schema returns it; the same slot where none changes one. */
function readValues(fields: readonly InputField[], slot: Mapping, slotName: string): Mapping {
  let changed: Record<string, unknown> | undefined;
  for (const field of fields) {
    if (field.schema === undefined || !hasValue(slot, field.name)) continue;
    const given = slot[field.name];
    const read = throughSchema(field.schema)(given, `ModelInputs.${slotName}.${field.name}`);
    if (Object.is(read, given)) continue;
    changed ??= { ...slot };
    changed[field.name] = read;
  }
  return changed ?? slot;
}

function slotsOf({ initial, step, update, metadata }: ModelInputs): ModelInputsInput {
  return { initial, step, update, metadata };
}

const readFields = withDefault(listOf(made((value) => inputField(value as InputFieldInput))), Object.freeze([]));
const readAlternatives = withDefault(listOf(listOf(text(), { min: 1 })), Object.freeze([]));

/** Makes a `ModelInputSchema`; refuses names that stand twice in a slot and alternatives that name no initial field. */
export function modelInputSchema(input: ModelInputSchemaInput = {}): ModelInputSchema {
  if (isMade(input, "ModelInputSchema")) return input as ModelInputSchema;
  refuseUnknownKeys(input, ["initialFields", "stepFields", "alternatives", "description"], "ModelInputSchema");
  const initialFields = readFields(input.initialFields, "ModelInputSchema.initialFields");
  const stepFields = readFields(input.stepFields, "ModelInputSchema.stepFields");
  const alternatives = readAlternatives(input.alternatives, "ModelInputSchema.alternatives");
  for (const [slot, fields] of [
    ["initialFields", initialFields],
    ["stepFields", stepFields],
  ] as const) {
    const twice = fields.find((field, index) => fields.findIndex((other) => other.name === field.name) !== index);
    if (twice !== undefined) refuse(`ModelInputSchema.${slot}`, "each name once", twice.name);
  }
  for (const name of alternatives.flat()) {
    if (!initialFields.some((field) => field.name === name))
      refuse("ModelInputSchema.alternatives", "names of initial fields", name);
  }
  return new ModelInputSchemaValue(
    initialFields,
    stepFields,
    alternatives,
    withDefault(text({ allowBlank: true }), "")(input.description, "ModelInputSchema.description"),
  );
}
