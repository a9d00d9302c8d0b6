import { ERROR_CODES, isDreamloopError, type ErrorCode } from "@dreamloop/core";
import type { ErrorRecord } from "@dreamloop/core/internal";
import { clientRecord } from "./client-record.ts";
import type { ErrorAnswer } from "@dreamloop/protocol";

const STATUS: Partial<Record<ErrorCode, number>> = {
  [ERROR_CODES.unauthorized]: 401,
  [ERROR_CODES.notFound]: 404,
  [ERROR_CODES.invalidState]: 409,
  [ERROR_CODES.closed]: 410,
  [ERROR_CODES.limitExceeded]: 429,
  [ERROR_CODES.busy]: 503,
  [ERROR_CODES.unavailable]: 503,
  [ERROR_CODES.workerFailed]: 500,
  [ERROR_CODES.loadFailed]: 500,
  [ERROR_CODES.encoderFailed]: 500,
  [ERROR_CODES.outputFailed]: 500,
  [ERROR_CODES.stepFailed]: 500,
  [ERROR_CODES.internal]: 500,
};

/** An error as an HTTP answer. */
export interface HttpError {
  /** The status. */
  readonly status: number;
  /** The body. */
  readonly body: ErrorAnswer;
}

/** Turns an error into an answer: code and message of our own errors, nothing of any other, never a stack. */
export function errorAnswer(error: unknown): HttpError {
  if (!isDreamloopError(error)) {
    const record = { code: ERROR_CODES.internal, message: "a fault of the server", retryable: false, details: {} };
    return { status: 500, body: { error: record } };
  }
  const { details, ...record } = clientRecord(error);
  const { status, retryAfterSeconds, ...others } = details;
  const told: ErrorRecord = { ...record, details: others };
  return {
    status: typeof status === "number" ? status : (STATUS[error.code] ?? 400),
    body: { error: told, ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}) },
  };
}
