import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { DreamloopError, ERROR_CODES } from "@dreamloop/core";

/** A JSON file that is written when a run is over, and whose place is tried before it begins. */
export class ResultFile {
  /** The path as given. */
  readonly path: string;
  readonly #option: string;
  readonly #full: string;

  /** Tries whether the file can be written there; throws `output_failed` naming the option. */
  constructor(options: { readonly option: string; readonly path: string; readonly cwd: string }) {
    this.path = options.path;
    this.#option = options.option;
    this.#full = resolve(options.cwd, options.path);
    this.#guard("prepare", () => {
      if (existsSync(this.#full) && !statSync(this.#full).isFile()) throw new Error("it is no regular file");
      mkdirSync(dirname(this.#full), { recursive: true });
      const trial = this.#besides();
      writeFileSync(trial, "", { flag: "wx" });
      rmSync(trial);
    });
  }

  /** Writes the content and takes the final name only when it is complete. */
  write(content: unknown): void {
    this.#guard("write", () => {
      const partial = this.#besides();
      try {
        writeFileSync(partial, `${JSON.stringify(content)}\n`, { flag: "wx" });
        renameSync(partial, this.#full);
      } catch (error) {
        rmSync(partial, { force: true });
        throw error;
      }
    });
  }

  #besides(): string {
    return `${this.#full}.part-${randomBytes(4).toString("hex")}`;
  }

  #guard(action: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new DreamloopError(
        ERROR_CODES.outputFailed,
        `${this.#option}: could not ${action} ${this.path}: ${reason}`,
        {
          cause,
        },
      );
    }
  }
}
