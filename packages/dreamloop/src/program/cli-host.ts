import type { Writable } from "node:stream";
import type { Clock } from "@dreamloop/core";

/** A stream that people or programs read; a terminal says so. */
export type OutputStream = Writable & {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number;
};

/** A wish of the system or the person that the command ends. Node ends at SIGHUP also below `nohup`, so that listening to it takes nothing away. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/**
 * Everything outside of the command that it touches; tests hand in their own. Commands that run a world run in a thread of their own, where
 * `process` has no signals and no terminal: what they need of the process is here.
 */
export interface CliHost {
  /** Arguments, without those of Node. */
  readonly args: readonly string[];
  /** Environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The current folder, absolute. */
  readonly cwd: string;
  /** Results. */
  readonly stdout: OutputStream;
  /** Messages, progress, errors. */
  readonly stderr: OutputStream;
  /** The clock of runs and displays. */
  readonly clock: Clock;
  /** Calls `listener` at every stop signal until the returned function is called. */
  onStop(listener: (signal: StopSignal) => void): () => void;
  /** Calls `listener` with every error that nothing caught, such as of a timer of a world, until the returned function is called. */
  onUncaught(listener: (error: unknown) => void): () => void;
  /** Asks a question that is answered with yes or no; absent where nobody can answer, since standard input is no terminal. */
  readonly ask?: (question: string) => Promise<boolean>;
  /** Ends the process at once. */
  exitNow(exitCode: number): void;
  /** Ends the process at once, as the signal does where nobody listens to it. */
  stopNow(signal: StopSignal): void;
}
