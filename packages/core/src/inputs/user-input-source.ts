import type { TimeWindow } from "../foundation/time/time-window.ts";
import type { UserInputSchema } from "./user-input-schema.ts";
import type { UserInputs } from "./user-inputs.ts";

/** Where a driver reads user inputs from, window by window; a trace, a script and a live queue are the same to it. */
export interface UserInputSource {
  /** What the source can send. */
  readonly schema: UserInputSchema;
  /**
   * The inputs of `window`, asked for in order and once each. `metadata.inputSequence`, if present, is the number of the
   * newest client message whose state is included.
   */
  read(window: TimeWindow): UserInputs;
  /** The first instant after the last event, in seconds, for sources that end; absent: the source never ends by itself. */
  readonly endSeconds?: number;
}
