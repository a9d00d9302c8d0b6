import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import type { ModelInputs } from "../../mapping/model-inputs.ts";
import { hasValue, type Mapping } from "../../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../../foundation/validate/record.ts";
import type { InputSpecs } from "./input-spec.ts";
import { placeIn, type World } from "./world.ts";

/** The initial inputs with defaults, checked; an undeclared one is refused. */
export function initialValues({ inputs }: World, given: ModelInputs): Mapping {
  refuseUnknownKeys(given.initial, Object.keys(inputs.initial), "ModelInputs.initial");
  return valuesOf(inputs.initial, inputs.schema.requireInitial(given).initial);
}

/** The step inputs with defaults, checked; an undeclared one is refused. */
export function stepValues({ inputs }: World, given: ModelInputs): Mapping {
  refuseUnknownKeys(given.step, Object.keys(inputs.step), "ModelInputs.step");
  return valuesOf(inputs.step, inputs.schema.requireStep(given).step);
}

/** The initial inputs that this step changes; one that may not change is refused. */
export function updateValues(world: World, given: ModelInputs): Mapping {
  const { schema } = world.inputs;
  const refused = schema.refusedUpdates(given);
  if (refused.length > 0) {
    const names = refused.map((name) => JSON.stringify(name)).join(", ");
    const live = Object.entries(world.inputs.initial).filter(([, spec]) => spec.isLive);
    throw new DreamloopError(
      ERROR_CODES.updateRefused,
      `ModelInputs.update: ${placeIn(world, "inputs.initial")} has no live input ${names}; live ones: ` +
        (live.map(([name]) => name).join(", ") || "none"),
      { details: { fields: refused } },
    );
  }
  const { update } = schema.requireUpdate(given);
  return Object.fromEntries(Object.entries(update).filter(([, value]) => value !== undefined));
}

function valuesOf(specs: InputSpecs, given: Mapping): Mapping {
  const values: Record<string, unknown> = {};
  for (const [name, spec] of Object.entries(specs))
    values[name] = hasValue(given, name) ? given[name] : spec.defaultValue;
  return Object.freeze(values);
}
