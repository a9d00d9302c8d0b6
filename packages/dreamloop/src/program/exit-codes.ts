import { ERROR_CODES, isDreamloopError, type ErrorCode } from "@dreamloop/core";
import type { StopSignal } from "./cli-host.ts";

/** What the command ends with; the numbers never change their meaning. */
export const EXIT_CODES = {
  /** It did what it was asked for. */
  ok: 0,
  /** It failed: a model, a file, an output, faults in a checked world, or a fault of Dreamloop itself. */
  failure: 1,
  /** It was asked for something it does not take: an unknown option, a wrong value, a configuration that the world refuses. */
  usage: 2,
  /** A replay gave other frames than its trace says. */
  replayDiffers: 3,
  /** A replay cannot be exact, so it was not tried. */
  replayRefused: 4,
  /** There is no such world, package or file. */
  notFound: 5,
  /** The terminal went away (SIGHUP); files are complete up to there. */
  hungUp: 129,
  /** Ctrl-C (SIGINT) ended it; files are complete up to there. */
  interrupted: 130,
  /** The reader of standard output went away (SIGPIPE). */
  brokenPipe: 141,
  /** SIGTERM ended it; files are complete up to there. */
  terminated: 143,
} as const;

/** One of `EXIT_CODES`. */
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

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

/** Exit code of each stop signal. */
export const STOP_EXIT_CODES: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
};

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
