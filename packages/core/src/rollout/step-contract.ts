import { DreamloopError, ERROR_CODES, isDreamloopError, type ErrorCode } from "../foundation/dreamloop-error.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import type { ModelInputSchema } from "../mapping/model-input-schema.ts";
import type { ModelInputs } from "../mapping/model-inputs.ts";
import type { SessionDescription } from "../model/session-description.ts";
import { stepRequest, type StepRequest, type StepRequestInput } from "../mapping/step-request.ts";
import { stepResult, type StepResult, type StepResultInput } from "../model/step-result.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import { readContainer } from "../foundation/validate/reader.ts";
import { isMade } from "../foundation/validate/record.ts";

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
  /** What the session promised to deliver. */
  readonly description: SessionDescription;
  /** Frames that it promised for this step. */
  readonly frameCount: number;
  /** Resets so far. */
  readonly generation: number;
  /** The inputs of the window. */
  readonly inputs: UserInputs;
  /** The window. */
  readonly window: TimeWindow;
}

/** Reads what a session asks for; throws `step_failed` when it asks for another step than the next. */
export function readRequest(asked: StepRequest | StepRequestInput, stepIndex: number): StepRequest {
  const request = stepRequest(asked);
  if (request.stepIndex === stepIndex) return request;
  throw new DreamloopError(
    ERROR_CODES.stepFailed,
    `StepRequest.stepIndex: expected ${stepIndex}, the next step, found ${request.stepIndex}`,
  );
}

const DESCRIBED = ["width", "height", "format", "layout", "colorSpace", "range"] as const;

/**
 * Refuses frames that are not as the session's description promised: targets, sinks and the wire were opened with it, and time goes on by
 * the frames it declares. A step without frames passes.
 */
function requireDescribed(result: StepResult, stamp: StepStamp): void {
  const { description, frameCount } = stamp;
  const chunk = result.output;
  if (chunk === undefined) {
    if (result.frameCount === 0) return;
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `StepResult.output: expected ${result.frameCount} frames, as StepResult.frameCount says, found none; leave the count out of a step without frames`,
    );
  }
  for (const field of DESCRIBED) {
    if (chunk[field] !== description[field]) refuseChunk(field, description[field], chunk[field]);
  }
  if (chunk.frameCount !== frameCount) refuseChunk("frameCount", frameCount, chunk.frameCount);
}

function refuseChunk(field: string, promised: string | number, found: string | number): never {
  throw new DreamloopError(
    ERROR_CODES.stepFailed,
    `VideoChunk.${field}: expected ${JSON.stringify(promised)} as the runtime's SessionDescription says, found ${JSON.stringify(found)}`,
  );
}

/**
 * Reads what a session returned and stamps it; throws `step_failed` when it is the result of another step or its frames are not as
 * described.
 */
export function completeResult(returned: StepResult | StepResultInput, stamp: StepStamp): StepResult {
  const given = isMade(returned, "StepResult")
    ? (returned as StepResult)
    : (readContainer(returned, "StepResult", "an object") as unknown as StepResultInput);
  const sequence = stamp.inputs.metadata.inputSequence;
  const result = stepResult({
    ...given,
    outputWindow: stamp.window,
    generation: stamp.generation,
    ...(typeof sequence === "number" ? { inputSequence: sequence } : {}),
  });
  if (result.stepIndex !== stamp.stepIndex) {
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `StepResult.stepIndex: expected ${stamp.stepIndex}, found ${result.stepIndex}`,
    );
  }
  requireDescribed(result, stamp);
  return result;
}

/**
 * What a world's code threw as a `DreamloopError`: its own, or one of `code` (default `step_failed`) with the cause attached. Code that gives
 * up because `signal` fired was cancelled and has not failed.
 */
export function asStepError(
  error: unknown,
  what: string,
  code: ErrorCode = ERROR_CODES.stepFailed,
  signal?: AbortSignal,
): DreamloopError {
  if (signal?.aborted === true && isAbort(error, signal)) {
    return new DreamloopError(ERROR_CODES.cancelled, `${what} was cancelled`, { cause: signal.reason });
  }
  if (isDreamloopError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new DreamloopError(code, `${what} failed: ${message}`, { cause: error });
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true;
  return typeof error === "object" && error !== null && (error as { readonly name?: unknown }).name === "AbortError";
}
