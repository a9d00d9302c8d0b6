import { DreamloopError, ERROR_CODES, isDreamloopError, type ErrorCode } from "@dreamloop/core";

/** What to do about an error of the file system, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free space or record to another disk",
  EDQUOT: "the disk quota is used up; free space or record to another disk",
  EFBIG: "the file grew beyond what this file system allows; record shorter runs or to another disk",
  EACCES: "permission is missing; choose another path or change its permissions",
  EPERM: "permission is missing; choose another path or change its permissions",
  EROFS: "the file system is read-only; choose another path",
  ENOENT: "there is no such file, or a folder of the path is missing; check the path",
  ENOTDIR: "a part of the path is a file where a folder is needed; check the path",
  EISDIR: "the path is a folder where a file is needed; name a file in it",
  EEXIST: "the file is there already; choose another name, or say that it may be overwritten",
  EMFILE: "too many files are open in this process; close some or raise the limit",
  ENFILE: "too many files are open on this machine; close some or raise the limit",
  EIO: "the device reported a fault; check the disk",
  ENAMETOOLONG: "the path is longer than the file system allows; choose a shorter one",
};

/** The code of an error of the operating system, such as `ENOSPC`, or `undefined`. */
export function systemErrorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** Turns what went wrong with a file into an error of `code` that names its path and says what to do. */
export function fileError(options: {
  /** `output_failed` where something is written; where it is read, what fits. */
  readonly code: ErrorCode;
  /** What was being done, to follow "could not", such as `write the trace`. */
  readonly action: string;
  /** The file or folder concerned. */
  readonly path: string;
  /** What went wrong. */
  readonly cause: unknown;
}): DreamloopError {
  const { code, action, path, cause } = options;
  if (isDreamloopError(cause)) return cause;
  const systemError = systemErrorCode(cause);
  const found = systemError ?? (cause instanceof Error ? cause.message : String(cause));
  const advice = systemError === undefined ? undefined : ADVICE[systemError];
  return new DreamloopError(
    code,
    `could not ${action} ${path} (${found})${advice === undefined ? "" : `: ${advice}`}`,
    {
      cause,
      details: { path, ...(systemError === undefined ? {} : { systemError }) },
    },
  );
}

/** The code for a file that cannot be read: `not_found` when there is none. */
export function readErrorCode(cause: unknown): ErrorCode {
  const systemError = systemErrorCode(cause);
  return systemError === "ENOENT" || systemError === "ENOTDIR" ? ERROR_CODES.notFound : ERROR_CODES.loadFailed;
}
