import { errorToRecord, type ErrorRecord } from "@dreamloop/core/internal";

/** An absolute path of this machine, or a file address, with at least two parts; what is kept is its last part. */
const PATH =
  /(^|[\s"'`(=[,:;])(?:file:\/\/)?(?:[A-Za-z]:)?(?:[\\/][^\s"'`()[\]{},;:*?<>|\\/]+)+[\\/]([^\s"'`()[\]{},;:*?<>|\\/]*)/g;

/** A text without absolute paths: of each the last part is left, behind an ellipsis. Paths of this server's own routes stay. */
export function withoutPaths(text: string): string {
  return text.replace(PATH, (whole: string, before: string, last: string) =>
    /^.?\/(api|whep)\//.test(whole) ? whole : `${before}…/${last}`,
  );
}

/** An error as clients see it: where this machine keeps its files is the operator's business alone. */
export function clientRecord(error: unknown): ErrorRecord {
  return publicRecord(errorToRecord(error));
}

/** The same of an error that is a record already. */
export function publicRecord(record: ErrorRecord): ErrorRecord {
  return {
    ...record,
    message: withoutPaths(record.message),
    details: cleaned(record.details) as ErrorRecord["details"],
  };
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return withoutPaths(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each)]));
}
