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

/** Exit code of each stop signal. */
export const STOP_EXIT_CODES: Readonly<Record<StopSignal, ExitCode>> = {
  SIGINT: EXIT_CODES.interrupted,
  SIGTERM: EXIT_CODES.terminated,
  SIGHUP: EXIT_CODES.hungUp,
};
