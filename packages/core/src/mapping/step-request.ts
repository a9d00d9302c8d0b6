import { timeWindow, type TimeWindow, type TimeWindowInput } from "../foundation/time/time-window.ts";
import { finite, mapping, optional, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { made, recordFactory } from "../foundation/validate/record.ts";
import { modelInputSchema, type ModelInputSchema, type ModelInputSchemaInput } from "./model-input-schema.ts";

/** What a session asks for before its next step. */
export interface StepRequest {
  /** Index of the step since the start or the last reset, at least 0. */
  readonly stepIndex: number;
  /** Inputs that this step needs, where they differ from the adapter's. */
  readonly modelInputSchema?: ModelInputSchema;
  /** The stretch of input that the session would like; a wish, the driver decides. */
  readonly userInputWindow?: TimeWindow;
  /** Further facts for the mapping. */
  readonly metadata: Mapping;
}

/** What the factory of `StepRequest` takes. */
export interface StepRequestInput {
  /** Index of the step since the start or the last reset. */
  readonly stepIndex: number;
  /** Inputs that this step needs. */
  readonly modelInputSchema?: ModelInputSchemaInput;
  /** The stretch of input that the session would like. */
  readonly userInputWindow?: TimeWindowInput;
  /** Further facts. */
  readonly metadata?: Mapping;
}

const makeRequest = recordFactory<StepRequest>("StepRequest", {
  stepIndex: finite({ integer: true, min: 0 }),
  modelInputSchema: optional(made((value) => modelInputSchema(value as ModelInputSchemaInput))),
  userInputWindow: optional(made((value) => timeWindow(value as TimeWindowInput))),
  metadata: withDefault(mapping, Object.freeze({})),
});

/** Makes a `StepRequest`; refuses a negative index. */
export function stepRequest(input: StepRequestInput): StepRequest {
  return makeRequest(input);
}
