import { DreamloopError, isDreamloopError, type ErrorCode } from "@dreamloop/core";
import type { WorldErrorRecord } from "../protocol/message-schemas.ts";

/** An error of a world's own code: its `stack` is the traceback of the language that it is written in. */
export class WorldTraceback extends Error {
  /** The last line of a traceback is the message; the whole of it the stack. */
  constructor(traceback: string) {
    const lines = traceback.trimEnd().split("\n");
    super(lines.at(-1) ?? "");
    this.name = "WorldTraceback";
    this.stack = traceback;
  }
}

/** The error that a world's side told of, with its traceback as the cause. */
export function worldError({ code, message, retryable, details, traceback }: WorldErrorRecord): DreamloopError {
  return new DreamloopError(code, message, {
    retryable,
    details,
    ...(traceback === undefined ? {} : { cause: new WorldTraceback(traceback) }),
  });
}

/** Any error as a `DreamloopError`: its own, or one of `code`. */
export function asDreamloopError(error: unknown, code: ErrorCode, what: string): DreamloopError {
  if (isDreamloopError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new DreamloopError(code, `${what}: ${message}`, { cause: error });
}
