/** One line for people: what it is, and its value. */
export type InspectionLine = readonly [label: string, value: string];

/** What a file holds. */
export interface Inspection {
  /** What the file is: `trace`, `moment`, `script`, `statistics`, `profile`, `benchmark`, `bundle`, `mp4`, `y4m`. */
  readonly kind: string;
  /** For machines. */
  readonly facts: object;
  /** For people. */
  readonly lines: readonly InspectionLine[];
}

/** A line, or none where there is no value. */
export function line(label: string, value: string | undefined): readonly InspectionLine[] {
  return value === undefined || value === "" ? [] : [[label, value]];
}
