import type { Readable } from "node:stream";

/** Characters of one line that are kept. */
const MAX_LINE_LENGTH = 2000;

/** Lines that are kept for the account of an end. */
const KEPT_LINES = 400;

/** What a process prints, line by line; the last lines are kept. Always read, so that a process never waits for its reader. */
export class OutputLines {
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>;
  readonly #kept: string[] = [];
  #rest = "";

  /** Reads at once; `onLine` gets every line. */
  constructor(stream: Readable, onLine: (line: string) => void) {
    stream.setEncoding("utf8");
    stream.on("data", (text: string) => {
      const lines = (this.#rest + text).split(/\r?\n/);
      this.#rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
      for (const line of lines) this.#take(line, onLine);
    });
    stream.on("end", () => {
      if (this.#rest !== "") this.#take(this.#rest, onLine);
      this.#rest = "";
    });
    this.ended = new Promise((resolve) => {
      stream.once("close", resolve);
      stream.once("error", resolve);
    });
  }

  /** The last lines, oldest first. */
  get lines(): readonly string[] {
    return this.#rest === "" ? this.#kept : [...this.#kept, this.#rest];
  }

  #take(line: string, onLine: (line: string) => void): void {
    const cut = line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
    this.#kept.push(cut);
    if (this.#kept.length > KEPT_LINES) this.#kept.shift();
    onLine(cut);
  }
}
