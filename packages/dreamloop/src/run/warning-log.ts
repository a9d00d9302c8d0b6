import type { RunWarning } from "@dreamloop/core";
import type { Terminal } from "../terminal/terminal.ts";
import { countOf } from "../terminal/format.ts";

/** Warnings of one kind that are shown as they come; later ones are counted. */
const SHOWN_PER_KIND = 3;

/** Shows warnings without flooding the terminal: the first of each kind as they come, the rest as a count at the end. */
export class WarningLog {
  readonly #terminal: Terminal;
  readonly #counts = new Map<string, number>();

  /** Shows them on `terminal`. */
  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Takes one warning. */
  take({ kind, message, stepNumber }: RunWarning): void {
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    if (count > SHOWN_PER_KIND) return;
    this.#terminal.warn(stepNumber === undefined ? message : `step ${stepNumber}: ${message}`);
  }

  /** Says how many were not shown, and gives the count of each kind. */
  close(): Readonly<Record<string, number>> {
    for (const [kind, count] of this.#counts) {
      if (count > SHOWN_PER_KIND) this.#terminal.warn(`${countOf(count, "time")} in all: ${kind.replaceAll("_", " ")}`);
    }
    return Object.fromEntries(this.#counts);
  }
}
