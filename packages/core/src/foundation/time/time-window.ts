import { finite, refuse } from "../validate/reader.ts";
import { isMade, markMade, refuseUnknownKeys } from "../validate/record.ts";

/** A half-open stretch of the session's timeline, start ≤ t < end; equal bounds are an empty window. */
export interface TimeWindow {
  /** First instant inside, in seconds, at least 0. */
  readonly startSeconds: number;
  /** First instant after it, in seconds, at least `startSeconds`. */
  readonly endSeconds: number;
  /** Whether start ≤ `timestampSeconds` < end. */
  contains(timestampSeconds: number): boolean;
}

/** What the factory takes: the two bounds in seconds. */
export type TimeWindowInput = Pick<TimeWindow, "startSeconds" | "endSeconds">;

class TimeWindowValue implements TimeWindow {
  readonly startSeconds: number;
  readonly endSeconds: number;

  constructor(startSeconds: number, endSeconds: number) {
    this.startSeconds = startSeconds;
    this.endSeconds = endSeconds;
    markMade(this, "TimeWindow");
  }

  contains(timestampSeconds: number): boolean {
    return timestampSeconds >= this.startSeconds && timestampSeconds < this.endSeconds;
  }
}

const bound = finite({ min: 0 });

/** Makes a `TimeWindow`; refuses a bound that is not finite or is negative, and an end before the start. */
export function timeWindow(input: TimeWindowInput): TimeWindow {
  if (isMade(input, "TimeWindow")) return input as TimeWindow;
  refuseUnknownKeys(input, ["startSeconds", "endSeconds"], "TimeWindow");
  const startSeconds = bound(input.startSeconds, "TimeWindow.startSeconds");
  const endSeconds = bound(input.endSeconds, "TimeWindow.endSeconds");
  if (endSeconds < startSeconds) refuse("TimeWindow.endSeconds", `at least startSeconds (${startSeconds})`, endSeconds);
  return new TimeWindowValue(startSeconds, endSeconds);
}
