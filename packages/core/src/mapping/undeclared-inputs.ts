import { modelInputSchema, type ModelInputSchema, type ModelInputSchemaInput } from "./model-input-schema.ts";
import { modelInputs, type ModelInputs, type ModelInputsInput } from "./model-inputs.ts";
import { nearest } from "../foundation/validate/record.ts";

/** An input that the schema does not declare. */
export interface UndeclaredModelInput {
  /** The slot in which it stands. */
  readonly slot: "initial" | "step" | "update";
  /** Its name. */
  readonly name: string;
  /** The declared name of that slot that was probably meant. */
  readonly nearest?: string;
}

/** Inputs that `schema` does not declare: a sign that a mapping and a model have drifted apart. Presence is not judged here. */
export function undeclaredModelInputs(
  schema: ModelInputSchema | ModelInputSchemaInput,
  inputs: ModelInputs | ModelInputsInput,
): readonly UndeclaredModelInput[] {
  const { initialFields, stepFields } = modelInputSchema(schema);
  const given = modelInputs(inputs);
  const slots = [
    ["initial", initialFields],
    ["step", stepFields],
    ["update", initialFields],
  ] as const;
  return slots.flatMap(([slot, fields]) => {
    const declared = fields.map(({ name }) => name);
    const unknown = Object.keys(given[slot]).filter((name) => !declared.includes(name));
    return unknown.map((name) => {
      const near = nearest(name, declared);
      return near === undefined ? { slot, name } : { slot, name, nearest: near };
    });
  });
}
