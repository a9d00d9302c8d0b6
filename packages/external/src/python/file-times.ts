import { statSync } from "node:fs";

/** When each file was changed last, in milliseconds; files that are gone are left out. */
export function fileTimes(files: readonly string[]): ReadonlyMap<string, number> {
  return new Map(
    files.flatMap((file) => {
      const time = timeOf(file);
      return time === undefined ? [] : [[file, time] as const];
    }),
  );
}

/** The first file that has changed since; absent when none has. */
export function changedFile(times: ReadonlyMap<string, number>): string | undefined {
  for (const [file, time] of times) if (timeOf(file) !== time) return file;
  return undefined;
}

function timeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
