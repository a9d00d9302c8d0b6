import type { CanonicalInputs, CanonicalModality } from "../../canonical/canonical-inputs.ts";
import { inferenceConfig } from "../../model/inference-config.ts";
import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import { conditioningMapping } from "../../mapping/conditioning-mapping.ts";
import { identityInputMapping, inputMapping, type InputMapping } from "../../mapping/input-mapping.ts";
import { mappingSet } from "../../mapping/mapping-set.ts";
import type { StepRequest } from "../../mapping/step-request.ts";
import { isPlainObject, refuse } from "../../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../../foundation/validate/record.ts";
import type { WorldStepTime } from "./world-definition.ts";
import { describeWorld, stepTime, worldRandom, worldSettings } from "./world-settings.ts";
import { placeIn, type World, type WorldFunction } from "./world.ts";

/** The state of a world's mapping: its seed and what `dynamics` gave last. */
interface DynamicsState {
  readonly seed: number;
  readonly dynamics: unknown;
}

/** The mapping of a world: its `dynamics` and `map`, and the conditioning that its live inputs follow. */
export function worldMapping(world: World): InputMapping {
  const mappings: InputMapping[] = [];
  if (world.map !== undefined) mappings.push(controlMapping(world, world.map));
  const { conditioning } = world.inputs;
  if (Object.keys(conditioning).length > 0) mappings.push(conditioningMapping({ fields: conditioning }));
  if (mappings.length > 1) return mappingSet(mappings);
  return mappings[0] ?? identityInputMapping;
}

function controlMapping(world: World, map: WorldFunction<unknown>): InputMapping<DynamicsState> {
  const { controls, optionalControls, dynamics } = world;
  const products = Object.keys(world.inputs.step);
  const controlList = Object.entries(controls);
  const optionalList = Object.entries(optionalControls);
  const mapPlace = `${placeIn(world, "map")}()`;
  return inputMapping<DynamicsState>({
    name: world.id,
    version: world.version,
    consumes: distinct(Object.values(controls)),
    consumesOptional: distinct(Object.values(optionalControls)),
    producesStep: products,
    createState: (seed) => {
      const state = dynamics?.start({ seed, random: worldRandom("dynamics-start", seed, 0) });
      return Object.freeze({ seed, dynamics: frozenState(state ?? null) });
    },
    mapStepInputs({ canonical, modelInputs, request, state }) {
      // Spelt out field by field: this runs in every step, and spreads cost microseconds.
      const { stepIndex, frameCount, durationSeconds } = timeOf(world, request);
      const values = controlValues(world, controlList, optionalList, canonical);
      let next = state;
      if (dynamics !== undefined) {
        const { seed } = state;
        const random = worldRandom("dynamics-step", seed, stepIndex);
        const before = state.dynamics;
        const context = { stepIndex, frameCount, durationSeconds, state: before, controls: values, seed, random };
        const stepped = dynamics.step(context);
        if (stepped === undefined) refuse(`${placeIn(world, "dynamics")}.step()`, "the state after this step", stepped);
        next = Object.freeze({ seed, dynamics: frozenState(stepped) });
      }
      const simulated = dynamics === undefined ? undefined : next.dynamics;
      const made = map({ stepIndex, frameCount, durationSeconds, controls: values, dynamics: simulated });
      if (!isPlainObject(made)) refuse(mapPlace, "an object with the step inputs", made);
      refuseUnknownKeys(made, products, mapPlace);
      const before = modelInputs.step;
      const step = Object.keys(before).length === 0 ? made : { ...before, ...made };
      return { inputs: modelInputs.withStep(step), state: next };
    },
  });
}

type ControlList = readonly (readonly [name: string, modality: CanonicalModality])[];

function controlValues(
  world: World,
  controls: ControlList,
  optionalControls: ControlList,
  canonical: CanonicalInputs,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, modality] of controls) {
    const value = canonical.values[modality.name];
    if (value === undefined) {
      throw new DreamloopError(
        ERROR_CODES.missingInput,
        `${placeIn(world, `controls.${name}`)}: this step has no value of ${JSON.stringify(modality.name)}; give the ` +
          "modality a neutral value, or declare it in optionalControls",
      );
    }
    values[name] = value;
  }
  for (const [name, modality] of optionalControls) values[name] = canonical.values[modality.name];
  return Object.freeze(values);
}

/** The length of the step: as the session's request gives it, else as it is in the default configuration. */
function timeOf(world: World, { stepIndex, metadata }: StepRequest): WorldStepTime {
  const { frameCount, durationSeconds } = metadata;
  if (typeof frameCount === "number" && typeof durationSeconds === "number") {
    return { stepIndex, frameCount, durationSeconds };
  }
  const config = inferenceConfig({ modelId: world.id });
  return stepTime(describeWorld(world, worldSettings(world, config)), stepIndex);
}

function distinct(modalities: readonly CanonicalModality[]): readonly CanonicalModality[] {
  return [...new Set(modalities)];
}

/** Freezes the outside of a state, so that changing it in place fails at once instead of breaking a step that fails later. */
export function frozenState<State>(state: State): State {
  return isPlainObject(state) || Array.isArray(state) ? Object.freeze(state) : state;
}
