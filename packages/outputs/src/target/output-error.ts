import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";

/** What to do about an error of the file system, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free space or choose another disk",
  EDQUOT: "the disk quota is used up; free space or choose another disk",
  EFBIG: "the file grew beyond what this file system allows; write shorter runs or choose another disk",
  EACCES: "permission is missing; choose a path that you may write to, or change its permissions",
  EPERM: "permission is missing; choose a path that you may write to, or change its permissions",
  EROFS: "the file system is read-only; choose another path",
  ENOENT: "a folder of the path does not exist and could not be made; check the path",
  ENOTDIR: "a part of the path is a file where a folder is needed; check the path",
  EISDIR: "the path is a folder where a file is needed; name a file in it",
  EMFILE: "too many files are open in this process; close some or raise the limit",
  ENFILE: "too many files are open on this machine; close some or raise the limit",
  EPIPE: "the reader of the pipe has gone; start it again and keep it running until the end",
  EIO: "the device reported a fault; check the disk and choose another one",
  ENAMETOOLONG: "the path is longer than the file system allows; choose a shorter one",
};

/** The code of an error of the operating system, such as `ENOSPC`, or `undefined`. */
export function systemErrorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** What `outputError` takes. */
export interface OutputFailure {
  /** Name of the target, such as `mp4`. */
  readonly target: string;
  /** The file or folder concerned; `-` is standard output. */
  readonly path: string;
  /** What was being done, to follow "could not", such as `write`. */
  readonly action: string;
  /** What went wrong. */
  readonly cause: unknown;
}

/**
 * Turns whatever went wrong into an `output_failed` error that names target and path and says what to do. Errors that already
 * name their own fault (an encoder's, a refused value) pass unchanged.
 */
export function outputError(failure: OutputFailure): DreamloopError {
  const { target, path, action, cause } = failure;
  if (isDreamloopError(cause)) return cause;
  const code = systemErrorCode(cause);
  const found = code ?? (cause instanceof Error ? cause.message : String(cause));
  const advice = code === undefined ? undefined : ADVICE[code];
  return new DreamloopError(
    ERROR_CODES.outputFailed,
    `${target} target: could not ${action} ${path} (${found})${advice === undefined ? "" : `: ${advice}`}`,
    { cause, details: { target, path, ...(code === undefined ? {} : { systemError: code }) } },
  );
}

/** Makes an `output_failed` error for a fault that no other error describes. */
export function refuseOutput(target: string, path: string, what: string): DreamloopError {
  return new DreamloopError(ERROR_CODES.outputFailed, `${target} target: ${path}: ${what}`, {
    details: { target, path },
  });
}
