import type { CliHost, StopSignal } from "./cli-host.ts";
import { STOP_EXIT_CODES, type ExitCode } from "./exit-codes.ts";

/**
 * Ctrl-C and its kin: the first asks the work to end at its next step boundary, so that files are completed; the second ends the process
 * at once.
 */
export class Interruption {
  readonly #abort = new AbortController();
  readonly #stopListening: () => void;
  #stoppedBy: StopSignal | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** What the first stop signal leads to, for people, such as `completing the files`; absent: nothing that takes time. */
  task: string | undefined;

  /** Whether the work was asked to end by SIGTERM and has ended as it should, which is no failure for what runs until then. */
  isDrained = false;

  /** Listens from now on; `onFirst` may tell the person what happens. */
  constructor(host: CliHost, onFirst: (signal: StopSignal) => void) {
    this.#stopListening = host.onStop((signal) => {
      if (this.#stoppedBy !== undefined) {
        host.stopNow(signal);
        return;
      }
      this.#stoppedBy = signal;
      onFirst(signal);
      this.#abort.abort(signal);
    });
  }

  /** The world that runs in this process, as it was asked for; errors that nothing caught are put down to it. */
  world: string | undefined;
  /** What is done about an error that nothing caught; default `fail`, which ends the work. */
  onUncaught: ((error: unknown) => void) | undefined;

  /** Asks the work to end at its next step boundary, since an error came that nothing caught. The first is kept. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#abort.abort(error);
  }

  /** The first error that nothing caught; absent when there was none. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Fires at the first stop signal, and at the first error that nothing caught. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The exit code that the first stop signal calls for; absent when there was none. */
  get exitCode(): ExitCode | undefined {
    if (this.#stoppedBy === undefined || (this.isDrained && this.#stoppedBy === "SIGTERM")) return undefined;
    return STOP_EXIT_CODES[this.#stoppedBy];
  }

  /** Stops listening; the system's own behaviour is back. */
  close(): void {
    this.#stopListening();
  }
}
