import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "@dreamloop/core";
import { usageError } from "../program/usage-error.ts";

/** What `readGivenText` takes. */
export interface GivenText {
  /** The flag that named the file: `--script`. */
  readonly flag: string;
  /** The path as given. */
  readonly path: string;
  /** The current folder. */
  readonly cwd: string;
  /** Greatest size in bytes. */
  readonly maxBytes: number;
}

/** Reads a text file that a flag named. Throws `not_found` or `invalid_value` with the flag and the path. */
export function readGivenText({ flag, path, cwd, maxBytes }: GivenText): string {
  try {
    const full = resolve(cwd, path);
    const facts = statSync(full);
    if (!facts.isFile() && !facts.isFIFO()) throw usageError(`${flag}: ${path} is no file; name a text file`);
    if (facts.size > maxBytes) {
      throw usageError(`${flag}: ${path} has ${facts.size} bytes, at most ${maxBytes} are read`);
    }
    return readFileSync(full, "utf8");
  } catch (cause) {
    if (isDreamloopError(cause)) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR")
      throw new DreamloopError(ERROR_CODES.notFound, `${flag}: ${path}: there is no such file`);
    throw usageError(`${flag}: ${path} cannot be read: ${message}`);
  }
}
