import type { Writable } from "node:stream";
import type { Clock } from "@dreamloop/core";

/** A stream that people or programs read; a terminal says so. */
export type OutputStream = Writable & {
  /** Whether it is a terminal. */
  readonly isTTY?: boolean;
  /** Width of the terminal in characters. */
  readonly columns?: number;
};

/** A wish of the system or the person that the command ends. (Listening to SIGHUP would undo `nohup`.) */
export type StopSignal = "SIGINT" | "SIGTERM";

/** Everything outside of the command that it touches; tests hand in their own. */
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
  /** Ends the process at once. */
  exitNow(exitCode: number): void;
}
