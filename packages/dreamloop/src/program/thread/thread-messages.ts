import type { StopSignal } from "../cli-host.ts";
import type { ExitCode } from "../exit-codes.ts";

/** The two streams that a command writes to. */
export type StreamName = "stdout" | "stderr";

/** What is known of a stream where it belongs to the process. */
export interface StreamFacts {
  /** Whether it is a terminal. */
  readonly isTTY: boolean;
  /** Width of the terminal in characters; absent where it is none. */
  readonly columns?: number;
}

/** What a command thread is started with. */
export interface ThreadStart {
  /** Arguments, without those of Node. */
  readonly args: readonly string[];
  /** The current folder, absolute. */
  readonly cwd: string;
  /** The streams. */
  readonly streams: Readonly<Record<StreamName, StreamFacts>>;
  /** Whether somebody can answer questions. */
  readonly canAsk: boolean;
}

/** Command thread → main thread. */
export type FromThread =
  /** Bytes for a stream; answered by `written` with the same number. */
  | { readonly type: "write"; readonly stream: StreamName; readonly id: number; readonly bytes: Uint8Array }
  /** Whether a first stop signal is listened to; until then, and after it, a signal ends the process at once. */
  | { readonly type: "listens"; readonly listens: boolean }
  /** A question to whoever is at the terminal; answered by `answer`. One at a time. */
  | { readonly type: "ask"; readonly question: string }
  /** Ends the process at once. */
  | { readonly type: "exit_now"; readonly exitCode: number }
  /** The command has ended. */
  | { readonly type: "ended"; readonly exitCode: ExitCode };

/** Main thread → command thread. */
export type ToThread =
  | { readonly type: "written"; readonly stream: StreamName; readonly id: number; readonly fault?: StreamFault }
  | { readonly type: "columns"; readonly stream: StreamName; readonly columns: number }
  | { readonly type: "stop"; readonly signal: StopSignal }
  | { readonly type: "answer"; readonly yes: boolean };

/** Why a stream took no more. */
export interface StreamFault {
  /** For people. */
  readonly message: string;
  /** The code of the operating system's error, such as `EPIPE`. */
  readonly code?: string;
}
