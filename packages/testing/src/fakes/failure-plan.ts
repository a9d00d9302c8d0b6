import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { finite, listOf, oneOf, optional, shape, type Reader } from "@dreamloop/core/internal";

/** The places at which a fake can be told to fail. */
export const FAILURE_POINTS = {
  /** `ModelAdapter.validateConfig`. */
  validateConfig: "adapter.validateConfig",
  /** `InputMapping.validate` of the fake's mapping. */
  validateMapping: "mapping.validate",
  /** `InputMapping.mapInitialInputs` of the fake's mapping. */
  mapInitialInputs: "mapping.mapInitialInputs",
  /** `InputMapping.mapStepInputs` of the fake's mapping. */
  mapStepInputs: "mapping.mapStepInputs",
  /** `ModelAdapter.createRuntime`, after it has waited. */
  createRuntime: "adapter.createRuntime",
  /** `InferenceRuntime.startSession`. */
  startSession: "runtime.startSession",
  /** `InferenceRuntime.close`; the runtime counts as closed all the same. */
  closeRuntime: "runtime.close",
  /** `InferenceSession.nextStepRequest`. */
  nextStepRequest: "session.nextStepRequest",
  /** `InferenceSession.step`, half-way through. */
  step: "session.step",
  /** `InferenceSession.finalizeStep`. */
  finalizeStep: "session.finalizeStep",
  /** `InferenceSession.reset`. */
  reset: "session.reset",
  /** `InferenceSession.close`; the session counts as closed all the same. */
  closeSession: "session.close",
  /** `OutputTarget.open`. */
  openTarget: "target.open",
  /** `OutputTarget.write`. */
  writeTarget: "target.write",
  /** `OutputTarget.close`; the target counts as closed all the same. */
  closeTarget: "target.close",
} as const;

/** One of `FAILURE_POINTS`. */
export type FailurePoint = (typeof FAILURE_POINTS)[keyof typeof FAILURE_POINTS];

/** One planned failure. */
export interface PlannedFailure {
  /** Where it happens. */
  readonly at: FailurePoint;
  /** The call that fails, counted from 0; absent: every call. */
  readonly call?: number;
  /** What is thrown; default a plain `Error` that names the point, as foreign code throws them. */
  readonly error?: Error;
}

const anyError: Reader<Error | undefined> = (value) => value as Error | undefined;
const readPlan = listOf(
  shape<PlannedFailure>({
    at: oneOf(FAILURE_POINTS),
    call: optional(finite({ integer: true, min: 0 })),
    error: anyError,
  }),
);

/** Which calls of fakes fail. One plan may serve several fakes; each point counts its own calls. */
export class FailurePlan {
  readonly #failures: readonly PlannedFailure[];
  readonly #calls = new Map<FailurePoint, number>();

  /** Makes a plan; refuses unknown points. */
  constructor(failures: readonly PlannedFailure[] = []) {
    this.#failures = readPlan(failures, "FailurePlan");
  }

  /** How often a point was passed, failures included. */
  callsOf(point: FailurePoint): number {
    return this.#calls.get(point) ?? 0;
  }

  /** Counts one call of `point` and throws when it is planned to fail. */
  pass(point: FailurePoint): void {
    const call = this.callsOf(point);
    this.#calls.set(point, call + 1);
    const failure = this.#failures.find((entry) => entry.at === point && (entry.call ?? call) === call);
    if (failure === undefined) return;
    throw failure.error ?? new Error(`planned failure of ${point}, call ${call}`);
  }
}

/** The error that the fakes throw for calls in a forbidden order. */
export function closedError(what: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.closed, `${what}: it is closed; open or start it first`);
}
