import { usageError } from "../program/usage-error.ts";

/** The name under which the only picture of a world stands when none was given. */
export const UNNAMED_IMAGE = "";

/**
 * The texts of `--image`: `NAME=FILE`, or `FILE` for the only picture that a world takes. What stands before the first `=` is a name when it
 * looks like one, so that a file whose name holds `=` is written with a folder: `./a=b.jpg`.
 */
export function imageFiles(given: readonly string[]): Readonly<Record<string, string>> {
  const files = new Map<string, string>();
  for (const text of given) {
    const [, name = UNNAMED_IMAGE, file = text] = /^([\p{L}_][\p{L}\p{N}_.-]*)=(.*)$/su.exec(text) ?? [];
    if (file === "") throw usageError(`--image: expected NAME=FILE or FILE, found ${JSON.stringify(text)}`);
    if (files.has(name)) {
      const whose = name === UNNAMED_IMAGE ? "without a name" : `for ${name}`;
      throw usageError(`--image: two pictures were given ${whose}; say which input takes each: --image NAME=FILE`);
    }
    files.set(name, file);
  }
  if (files.size > 1 && files.has(UNNAMED_IMAGE)) {
    throw usageError("--image: of several pictures each needs a name: --image NAME=FILE");
  }
  return Object.fromEntries(files);
}
