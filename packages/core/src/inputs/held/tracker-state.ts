import type { PointerPayload } from "../catalogue/pointer-events.ts";
import type { HeldCodesState } from "./held-codes.ts";
import type { HeldMouseState } from "./held-mouse.ts";
import type { HeldPadState } from "./held-pad.ts";

/** Everything that an `InputTracker` remembers, as plain JSON: part of a session's snapshot. */
export interface InputTrackerState {
  /** Keys. */
  readonly keys: HeldCodesState<string>;
  /** The mouse. */
  readonly mouse: HeldMouseState;
  /** Pointers that are down. */
  readonly pointers: readonly PointerPayload[];
  /** Fingers that are down. */
  readonly touches: readonly PointerPayload[];
  /** Gamepads by index. */
  readonly gamepads: readonly HeldPadState[];
  /** The steering wheel. */
  readonly wheel: HeldPadState;
  /** Axes away from 0. */
  readonly axes: readonly (readonly [string, number])[];
  /** Held actions. */
  readonly actions: readonly string[];
  /** Whether the input reaches the world; absent: not told. */
  readonly focused?: boolean;
}

/** What an `InputTracker` has counted. */
export interface InputTrackerCounters {
  /** State messages that were older than one already seen, or the same. */
  readonly staleStates: number;
  /** Edges that said nothing new: repetitions of a held key, releases of one that is not held. */
  readonly repeats: number;
  /** Keys that were released because too many were held. */
  readonly limitReleases: number;
}
