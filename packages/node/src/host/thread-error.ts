import { DreamloopError, type ErrorCode } from "@dreamloop/core";
import { errorToRecord, type ErrorRecord } from "@dreamloop/core/internal";

/** Characters of a stack that cross threads; what is longer is cut. */
const MAX_STACK_LENGTH = 8192;
/** Causes whose stacks cross threads. */
const MAX_STACKS = 8;

/** An error on its way from a world's thread to the one that started it: both belong to one process, so that stacks may come along. */
export interface ThreadError {
  /** Code, message and details. */
  readonly record: ErrorRecord;
  /** The stacks of the error's causes, the outer one first, for the terminal of whoever writes the world. */
  readonly stacks: readonly string[];
}

/** Puts an error into the form in which it crosses threads; a foreign error becomes `fallback`, and its own stack is kept. */
export function errorToThread(error: unknown, fallback?: ErrorCode): ThreadError {
  const stacks: string[] = [];
  for (let current = error; current instanceof Error && stacks.length < MAX_STACKS; current = current.cause) {
    stacks.push((current.stack ?? current.message).slice(0, MAX_STACK_LENGTH));
  }
  return { record: errorToRecord(error, fallback), stacks };
}

/** Turns what crossed threads back into an error, whose causes carry the stacks of the other thread. */
export function errorFromThread({ record, stacks }: ThreadError): DreamloopError {
  const cause = stacks.reduceRight<Error | undefined>((inner, stack) => {
    const error = new Error(stack.split("\n", 1)[0], inner === undefined ? undefined : { cause: inner });
    error.stack = stack;
    return error;
  }, undefined);
  const { code, message, retryable, details } = record;
  return new DreamloopError(code, message, { retryable, details, ...(cause === undefined ? {} : { cause }) });
}
