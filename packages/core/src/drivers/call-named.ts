import type { ErrorCode } from "../foundation/dreamloop-error.ts";
import type { Wait, Waits } from "../foundation/time/wait-guard.ts";
import { asStepError } from "../rollout/step-contract.ts";

/**
 * Calls code that others have attached to a run (an output, an observer, a hasher) and waits for its answer within its limit. What it throws
 * that is no `DreamloopError` becomes one of `code` that says what failed. An answer that is no promise is returned as it is.
 */
export function callNamed<T>(
  waits: Waits,
  wait: Wait<T> & { readonly code: ErrorCode },
  work: () => T | Promise<T>,
): T | Promise<T> {
  const fail = (error: unknown): never => {
    throw asStepError(error, wait.what, wait.code);
  };
  try {
    const answer = waits.wait(wait, work);
    return isPromise(answer) ? answer.catch(fail) : answer;
  } catch (error) {
    return fail(error);
  }
}

function isPromise<T>(answer: T | Promise<T>): answer is Promise<T> {
  return typeof answer === "object" && answer !== null && "catch" in answer && typeof answer.catch === "function";
}
