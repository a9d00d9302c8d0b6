import { DreamloopError, ERROR_CODES, isPlainObject } from "@dreamloop/core";
import type { ControlMethod } from "@dreamloop/protocol";

/** What viewers that are not the player may ask for. */
export const VIEWER_METHODS: readonly ControlMethod[] = ["key_frame", "client_stats", "close", "candidates"];

/** The error for something that comes too often or is too large. */
export function limit(what: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.limitExceeded, `request: ${what}; send less`, { retryable: true });
}

/** The error for a viewer that asks for what only the player may. */
export function viewersMayNot(method: ControlMethod): DreamloopError {
  return new DreamloopError(ERROR_CODES.unauthorized, `request ${method}: only the player of a session may ask for it`);
}

/** Reads JSON; throws `invalid_value` for anything else. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new DreamloopError(ERROR_CODES.invalidValue, "request: not valid JSON", { cause });
  }
}

/** The id of a request that may be malformed otherwise, so that the answer finds it. */
export function idOf(value: unknown): number {
  return isPlainObject(value) && Number.isSafeInteger(value.id) && (value.id as number) >= 0 ? (value.id as number) : 0;
}
