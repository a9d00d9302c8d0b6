import { ERROR_CODES, isDreamloopError, type ErrorCode } from "@dreamloop/core";
import { EXIT_CODES, type ExitCode } from "./exit-codes.ts";

const BY_ERROR: Partial<Record<ErrorCode, ExitCode>> = {
  [ERROR_CODES.replayDiffers]: EXIT_CODES.replayDiffers,
  [ERROR_CODES.replayRefused]: EXIT_CODES.replayRefused,
  [ERROR_CODES.notFound]: EXIT_CODES.notFound,
};

/** Refusals that are the caller's own when they come before anything has run. */
const REFUSALS: readonly ErrorCode[] = [
  ERROR_CODES.invalidValue,
  ERROR_CODES.unknownKey,
  ERROR_CODES.unsupportedConfig,
  ERROR_CODES.missingInput,
  ERROR_CODES.incompatibleInputs,
];

/** The exit code of an error that ended a command. */
export function exitCodeOf(error: unknown): ExitCode {
  if (isUsageError(error)) return EXIT_CODES.usage;
  if (!isDreamloopError(error)) return EXIT_CODES.failure;
  if (error.details.path === "-" && error.details.systemError === "EPIPE") return EXIT_CODES.brokenPipe;
  return BY_ERROR[error.code] ?? EXIT_CODES.failure;
}

/** Marks errors that are refusals of what the caller asked for. */
const USAGE_MARK = Symbol("dreamloop.cli.usage");

/** Marks an error as a refusal of what the caller asked for; the command then ends with `EXIT_CODES.usage`. */
export function markUsage<E extends Error>(error: E): E {
  Object.defineProperty(error, USAGE_MARK, { value: true });
  return error;
}

function isUsageError(error: unknown): boolean {
  return typeof error === "object" && error !== null && (error as Record<symbol, unknown>)[USAGE_MARK] === true;
}

/** Runs `settle`, which prepares a run and starts nothing: what it refuses is the caller's to mend. */
export function settling<T>(settle: () => T): T {
  try {
    return settle();
  } catch (error) {
    if (isDreamloopError(error) && REFUSALS.includes(error.code)) throw markUsage(error);
    throw error;
  }
}
