import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** Seconds after which whoever found no room should ask again. */
const BUSY_RETRY_SECONDS = 5;

/** A `busy` error with the time after which to ask again. */
export function busy(reason: string, retryAfterSeconds: number = BUSY_RETRY_SECONDS): DreamloopError {
  return new DreamloopError(ERROR_CODES.busy, `busy: ${reason}; try again in ${retryAfterSeconds} s`, {
    retryable: true,
    details: { retryAfterSeconds },
  });
}
