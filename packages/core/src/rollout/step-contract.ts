import { DreamloopError, ERROR_CODES, isDreamloopError } from "../errors/dreamloop-error.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { ModelInputSchema } from "../model/model-input-schema.ts";
import type { ModelInputs } from "../model/model-inputs.ts";
import { stepResult, type StepRequest, type StepResult, type StepResultInput } from "../model/step-request.ts";
import type { TimeWindow } from "../time/time-window.ts";

/**
 * The inputs as the session receives them: complete, and without updates that the model refuses. Throws `missing_input`; throws
 * `update_refused` unless `onUpdateRefused` takes note of it.
 */
export function readyInputs(
  schema: ModelInputSchema,
  request: StepRequest,
  inputs: ModelInputs,
  onUpdateRefused: ((fields: readonly string[]) => void) | undefined,
): ModelInputs {
  (request.modelInputSchema ?? schema).requireStep(inputs);
  const refused = schema.refusedUpdates(inputs);
  if (refused.length === 0) return inputs;
  if (onUpdateRefused === undefined) {
    throw new DreamloopError(
      ERROR_CODES.updateRefused,
      `ModelInputs.update: ${refused.map((name) => JSON.stringify(name)).join(", ")} can only be given when a session starts or is reset`,
      { details: { fields: refused } },
    );
  }
  onUpdateRefused(refused);
  return inputs.withUpdate(
    Object.fromEntries(Object.entries(inputs.update).filter(([name]) => !refused.includes(name))),
  );
}

/** What the driver adds to a result. */
export interface StepStamp {
  /** The index that the step has. */
  readonly stepIndex: number;
  /** Resets so far. */
  readonly generation: number;
  /** The inputs of the window. */
  readonly inputs: UserInputs;
  /** The window. */
  readonly window: TimeWindow;
}

/** Reads what a session returned and stamps it; throws `step_failed` when it is the result of another step. */
export function completeResult(returned: StepResult | StepResultInput, stamp: StepStamp): StepResult {
  const sequence = stamp.inputs.metadata.inputSequence;
  const result = stepResult({
    ...returned,
    outputWindow: stamp.window,
    generation: stamp.generation,
    ...(typeof sequence === "number" ? { inputSequence: sequence } : {}),
  });
  if (result.stepIndex === stamp.stepIndex) return result;
  throw new DreamloopError(
    ERROR_CODES.stepFailed,
    `StepResult.stepIndex: expected ${stamp.stepIndex}, found ${result.stepIndex}`,
  );
}

/** What a session threw as a `DreamloopError`: its own, or `step_failed` with the cause attached. */
export function asStepError(error: unknown, what: string): DreamloopError {
  if (isDreamloopError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new DreamloopError(ERROR_CODES.stepFailed, `${what} failed: ${message}`, { cause: error });
}
