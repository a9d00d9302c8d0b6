import { CONDITIONING, type Conditioning } from "../canonical/modalities.ts";
import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import { UPDATE_POLICIES, type ModelInputSchema } from "./model-input-schema.ts";
import { mappingOf, refuse, text } from "../foundation/validate/reader.ts";
import { nearest, refuseUnknownKeys } from "../foundation/validate/record.ts";
import { inputMapping, type InputMapping } from "./input-mapping.ts";

/** The parts of a `conditioning` value. */
export const CONDITIONING_FIELDS = Object.freeze({
  /** The prompt. */
  prompt: "prompt",
  /** The negative prompt. */
  negativePrompt: "negativePrompt",
  /** The image. */
  image: "image",
  /** The newest text event. */
  textEvent: "textEvent",
  /** All text events of the window. */
  textEvents: "textEvents",
} as const satisfies { readonly [Field in keyof Required<Conditioning>]: Field });

/** One of `CONDITIONING_FIELDS`. */
export type ConditioningField = keyof typeof CONDITIONING_FIELDS;

/** What `conditioningMapping` takes. */
export interface ConditioningMappingOptions {
  /** Which initial field of the model each part of the conditioning changes, such as `{ prompt: "prompt" }`. */
  readonly fields: Readonly<Partial<Record<ConditioningField, string>>>;
  /** Its name; default `conditioning`. */
  readonly name?: string;
}

const readFields = mappingOf(text({ maxLength: 128 }));

/**
 * Makes the mapping that turns what arrives while the world runs (a new prompt, image or text event) into `update`; initial inputs pass
 * as they are. `validate` refuses a model whose field does not exist or may only be given when a session starts.
 */
export function conditioningMapping(options: ConditioningMappingOptions): InputMapping<null> {
  if (typeof options !== "object" || options === null) refuse("ConditioningMappingOptions", "an object", options);
  refuseUnknownKeys(options, ["fields", "name"], "ConditioningMappingOptions");
  const given = Object.fromEntries(Object.entries(options.fields ?? {}).filter(([, name]) => name !== undefined));
  const fields = readFields(given, "ConditioningMappingOptions.fields");
  refuseUnknownKeys(fields, Object.keys(CONDITIONING_FIELDS), "ConditioningMappingOptions.fields");
  const pairs = Object.entries(fields);
  if (pairs.length === 0)
    refuse("ConditioningMappingOptions.fields", 'at least one field, such as { prompt: "prompt" }', options.fields);
  const targets = pairs.map(([, target]) => target);
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  if (twice !== undefined) refuse("ConditioningMappingOptions.fields", "each model field once", twice);
  return inputMapping<null>({
    name: options.name ?? "conditioning",
    consumesOptional: [CONDITIONING],
    producesUpdate: targets,
    validate: (_userSchema, modelSchema) => {
      if (modelSchema !== undefined) for (const [from, target] of pairs) requireUpdatable(modelSchema, from, target);
    },
    createState: () => null,
    mapStepInputs({ canonical, modelInputs, state }) {
      const value = canonical.values[CONDITIONING.name];
      if (value === undefined) return { inputs: modelInputs, state };
      const arrived = pairs.filter(([from]) => value[from] !== undefined);
      if (arrived.length === 0) return { inputs: modelInputs, state };
      const update = Object.fromEntries(arrived.map(([from, target]) => [target, value[from]]));
      return { inputs: modelInputs.withUpdate({ ...modelInputs.update, ...update }), state };
    },
  });
}

function requireUpdatable(schema: ModelInputSchema, from: string, target: string): void {
  const field = schema.initialFields.find(({ name }) => name === target);
  const place = `ConditioningMappingOptions.fields.${from}`;
  if (field === undefined) {
    const names = schema.initialFields.map(({ name }) => name);
    const near = nearest(target, names);
    throw new DreamloopError(
      ERROR_CODES.incompatibleInputs,
      `${place}: the model has no initial field ${JSON.stringify(target)}; ` +
        (near === undefined
          ? `its initial fields: ${names.join(", ") || "none"}`
          : `did you mean ${JSON.stringify(near)}?`),
    );
  }
  if (field.updatePolicy !== UPDATE_POLICIES.stepBoundary) {
    throw new DreamloopError(
      ERROR_CODES.incompatibleInputs,
      `${place}: the model's field ${JSON.stringify(target)} can only be given when a session starts (its updatePolicy is ` +
        `${JSON.stringify(field.updatePolicy)}); declare it "step_boundary" or leave it out`,
    );
  }
}
