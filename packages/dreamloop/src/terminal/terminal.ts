import { isDreamloopError } from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";
import type { CliHost } from "../program/cli-host.ts";
import type { ExitCode } from "../program/exit-codes.ts";
import { authorPlace, messageWithPlace } from "./author-place.ts";
import { ProgressDisplay } from "./progress-display.ts";
import { isTerminal, stylesFor, type Styles } from "./styles.ts";

/** How much is said, and in which form. */
export interface TerminalMode {
  /** Machines read standard output: one JSON document, nothing else. */
  readonly json: boolean;
  /** Only results and errors. */
  readonly quiet: boolean;
  /** Standard output carries something else, such as frames: results go to standard error. */
  readonly stdoutTaken: boolean;
}

const SPEAKING: TerminalMode = { json: false, quiet: false, stdoutTaken: false };

/**
 * What the command says. Results go to standard output; progress, notes, warnings and errors to standard error, so that a pipe
 * gets results only.
 */
export class Terminal {
  readonly #host: CliHost;
  #mode: TerminalMode = SPEAKING;
  #progress: ProgressDisplay | undefined;

  /** Speaks for people until `setMode` says otherwise. */
  constructor(host: CliHost) {
    this.#host = host;
  }

  /** How much is said, and in which form. */
  get mode(): TerminalMode {
    return this.#mode;
  }

  /** Chooses how much is said; called once the options are known. */
  setMode(mode: Partial<TerminalMode>): void {
    this.#mode = { ...this.#mode, ...mode };
  }

  /** Styles for results. */
  get resultStyles(): Styles {
    return stylesFor(this.#mode.stdoutTaken ? this.#host.stderr : this.#host.stdout, this.#host.env);
  }

  /** Writes a result for people; nothing in `--json` mode. */
  result(text: string): void {
    if (this.#mode.json) return;
    this.#progress?.clear();
    (this.#mode.stdoutTaken ? this.#host.stderr : this.#host.stdout).write(`${text}\n`);
  }

  /** Writes the one document that machines read. */
  document(value: unknown): void {
    this.#progress?.clear();
    this.#host.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
  }

  /** Says something in passing; nothing when quiet or in `--json` mode. */
  note(text: string): void {
    if (!this.#mode.quiet && !this.#mode.json) this.#say(text);
  }

  /** Says what is odd; nothing when quiet. */
  warn(text: string): void {
    if (!this.#mode.quiet) this.#say(`${stylesFor(this.#host.stderr, this.#host.env).warn("warning")}: ${text}`);
  }

  /**
   * Says why the command failed: the message for what Dreamloop refuses or reports, with the place in the code of the world's author where
   * it comes from there; with a stack for anything else and when `DREAMLOOP_DEBUG=1`. In `--json` mode it is a document too, unless the
   * command has its own.
   */
  error(error: unknown, exitCode: ExitCode, options: { readonly document?: boolean } = {}): void {
    const head = stylesFor(this.#host.stderr, this.#host.env).bad("error");
    const known = isDreamloopError(error);
    const record = errorToRecord(error);
    if (known) this.#say(`${head}: ${record.message}`);
    else this.#say(`internal ${head}: ${record.message}. Please report this with the lines below.`);
    const place = known && !this.debug ? authorPlace(error) : undefined;
    if (place !== undefined) this.#say(`  at ${place} (DREAMLOOP_DEBUG=1 shows the whole stack)`);
    if (this.debug || !known) for (const line of stackLines(error)) this.#say(line);
    if (this.#mode.json && options.document !== false) {
      const { code, message, details } = record;
      this.document({ type: "error", version: 1, error: { code, message, details }, exitCode });
    }
  }

  /** Says that something of somebody else failed, such as a session of a served world, in one line; with its stack when `debug`. */
  failure(what: string, error: unknown): void {
    this.warn(`${what}: ${messageWithPlace(error)}`.replace(/\p{Cc}/gu, " "));
    if (this.debug && !this.#mode.quiet) for (const line of stackLines(error)) this.#say(line);
  }

  /** Whether stacks are shown. */
  get debug(): boolean {
    return this.#host.env.DREAMLOOP_DEBUG === "1";
  }

  /** Starts a progress display, if anybody wants to see one. */
  startProgress(label: string, unit: string): ProgressDisplay | undefined {
    const { stderr, env, clock } = this.#host;
    const terminal = isTerminal(stderr, env);
    if (this.#mode.quiet || (this.#mode.json && !terminal)) return undefined;
    this.#progress = new ProgressDisplay({
      stream: stderr,
      terminal,
      styles: stylesFor(stderr, env),
      clock,
      label,
      unit,
    });
    return this.#progress;
  }

  /** Ends the progress display and removes its line. */
  endProgress(): void {
    this.#progress?.clear();
    this.#progress = undefined;
  }

  #say(text: string): void {
    this.#progress?.clear();
    this.#host.stderr.write(`${text}\n`);
  }
}

/** The stack of an error and of its causes. */
function stackLines(error: unknown): string[] {
  const lines: string[] = [];
  for (let current = error; current instanceof Error && lines.length < 200; current = current.cause) {
    lines.push(`${lines.length === 0 ? "" : "caused by "}${current.stack ?? current.message}`);
  }
  return lines;
}
