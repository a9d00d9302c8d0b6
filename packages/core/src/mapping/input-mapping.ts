import type { CanonicalInputs, CanonicalModality, CanonicalModalityInput } from "../canonical/canonical-inputs.ts";
import { canonicalModality } from "../canonical/canonical-inputs.ts";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import type { UserInputSchema } from "../inputs/user-input-schema.ts";
import type { ModelInputSchema } from "./model-input-schema.ts";
import { modelInputs, type ModelInputs, type ModelInputsInput } from "./model-inputs.ts";
import type { StepRequest } from "./step-request.ts";
import {
  callable,
  listOf,
  readContainer,
  optional,
  refuse,
  text,
  withDefault,
  within,
} from "../foundation/validate/reader.ts";
import { made, recordFactory, refuseUnknownKeys } from "../foundation/validate/record.ts";

/** What a mapping is given to make the initial inputs. */
export interface InitialMappingContext<State> {
  /** The inputs as the caller or the mapping before this one gave them. */
  readonly modelInputs: ModelInputs;
  /** The mapping's state. */
  readonly state: State;
}

/** What a mapping is given to make the inputs of one step. */
export interface StepMappingContext<State> extends InitialMappingContext<State> {
  /** The canonical values of this step's window. */
  readonly canonical: CanonicalInputs;
  /** What the session asked for. */
  readonly request: StepRequest;
}

/** What a mapping gives back. */
export interface MappedInputs<State> {
  /** The inputs, with this mapping's products added. */
  readonly inputs: ModelInputs | ModelInputsInput;
  /** The state after it; serialisable, committed only after the step succeeded. */
  readonly state: State;
}

/** Canonical inputs and the session's request → model inputs. A definition without hidden state. */
export interface InputMapping<State = unknown> {
  /** Its name, for reports and traces. */
  readonly name: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** The mappings that it is made of, in order; absent for one that is not a set. */
  readonly members?: readonly InputMapping[];
  /** Modalities that it needs. */
  readonly consumes: readonly CanonicalModality[];
  /** Modalities that it uses when they are there. */
  readonly consumesOptional: readonly CanonicalModality[];
  /** Names of initial fields that it makes. */
  readonly producesInitial: readonly string[];
  /** Names of step fields that it makes. */
  readonly producesStep: readonly string[];
  /** Names of initial fields for which it may make updates. */
  readonly producesUpdate: readonly string[];
  /** Refuses schemas that it cannot work with. */
  validate(userSchema: UserInputSchema | undefined, modelSchema: ModelInputSchema | undefined): void;
  /** The state before the first step. */
  createState(seed: number): State;
  /** Makes the initial inputs. */
  mapInitialInputs(context: InitialMappingContext<State>): MappedInputs<State>;
  /** Makes the inputs of one step. */
  mapStepInputs(context: StepMappingContext<State>): MappedInputs<State>;
}

/** What the factory of a mapping takes; all but `name` may be left out. */
export interface InputMappingInput<State> {
  /** Its name. */
  readonly name: string;
  /** Version of its behaviour; default `1`. */
  readonly version?: string;
  /** The mappings that it is made of; given by `mappingSet`. */
  readonly members?: readonly InputMapping[];
  /** Modalities that it needs. */
  readonly consumes?: readonly CanonicalModalityInput[];
  /** Modalities that it uses when they are there. */
  readonly consumesOptional?: readonly CanonicalModalityInput[];
  /** Names of initial fields that it makes. */
  readonly producesInitial?: readonly string[];
  /** Names of step fields that it makes. */
  readonly producesStep?: readonly string[];
  /** Names of initial fields for which it may make updates. */
  readonly producesUpdate?: readonly string[];
  /** Refuses schemas that it cannot work with; default: nothing is refused. */
  readonly validate?: InputMapping<State>["validate"];
  /** The state before the first step; default `null`. */
  readonly createState?: (seed: number) => State;
  /** Makes the initial inputs; default: they pass unchanged. */
  readonly mapInitialInputs?: InputMapping<State>["mapInitialInputs"];
  /** Makes the inputs of one step; default: they pass unchanged. */
  readonly mapStepInputs?: InputMapping<State>["mapStepInputs"];
}

const names = withDefault(listOf(text({ maxLength: 128 })), Object.freeze([]));
const modalities = withDefault(
  listOf(made((value) => canonicalModality(value as CanonicalModalityInput))),
  Object.freeze([]),
);

const make: (value: unknown) => InputMapping = recordFactory<InputMapping>("InputMapping", {
  // Longer than elsewhere, as those of a set are made of its members'.
  name: text({ maxLength: 2048 }),
  version: withDefault(text({ maxLength: 2048 }), "1"),
  members: optional(listOf(made((value) => make(value)))),
  consumes: modalities,
  consumesOptional: modalities,
  producesInitial: names,
  producesStep: names,
  producesUpdate: names,
  validate: withDefault(callable<InputMapping["validate"]>(), () => undefined),
  createState: withDefault(callable<InputMapping["createState"]>(), () => null),
  mapInitialInputs: withDefault(callable<InputMapping["mapInitialInputs"]>(), passThrough),
  mapStepInputs: withDefault(callable<InputMapping["mapStepInputs"]>(), passThrough),
});

function passThrough(context: InitialMappingContext<unknown>): MappedInputs<unknown> {
  return { inputs: context.modelInputs, state: context.state };
}

/** Makes an `InputMapping`; refuses blank names, wrong types and unknown keys. */
export function inputMapping<State = null>(input: InputMappingInput<State>): InputMapping<State> {
  return make(input) as InputMapping<State>;
}

/** Returns the very same inputs that it was given; for worlds whose step needs nothing. */
export const identityInputMapping: InputMapping<null> = inputMapping({
  name: "identity",
});

/** Checks what a mapping returned; the error names the mapping. */
export function readMappedInputs(
  mapping: InputMapping,
  method: string,
  returned: unknown,
): MappedInputs<unknown> & { readonly inputs: ModelInputs } {
  const place = `InputMapping(${JSON.stringify(mapping.name)}).${method}()`;
  const mapped = readContainer(returned, place, "an object with inputs and state");
  refuseUnknownKeys(mapped, ["inputs", "state"], place);
  if (!Object.hasOwn(mapped, "state")) refuse(`${place}.state`, "the state after this call", undefined);
  if (mapped.inputs === undefined) refuse(`${place}.inputs`, "the inputs after this call", undefined);
  return {
    inputs: within(`${place}.inputs`, () => modelInputs(mapped.inputs as ModelInputsInput)),
    state: mapped.state,
  };
}

/** Calls a mapping and checks what it returned; what it throws names the mapping and has the cause attached. */
export function callMapping(
  mapping: InputMapping,
  method: "mapInitialInputs" | "mapStepInputs",
  call: () => unknown,
): ReturnType<typeof readMappedInputs> {
  let returned: unknown;
  try {
    returned = call();
  } catch (error) {
    if (isDreamloopError(error)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `InputMapping(${JSON.stringify(mapping.name)}).${method}(): ${message}`,
      { cause: error },
    );
  }
  return readMappedInputs(mapping, method, returned);
}
