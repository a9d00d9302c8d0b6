import type { LeadEntry, SessionState } from "./session-state.ts";

/** A moment of a session: the boundary before this step of this generation. */
export interface MomentPosition {
  /** Resets and rewinds before it. */
  readonly generation: number;
  /** The step that comes next there. */
  readonly stepIndex: number;
}

/** Where a driver stands when it tells its history of a boundary. */
export interface Boundary {
  /** Generation and step that comes next. */
  readonly position: MomentPosition;
  /** Seed of the rollout. */
  readonly seed: number;
  /** Session time in seconds. */
  readonly sessionSeconds: number;
  /** Takes a copy of the complete state; it costs time and memory. */
  readonly takeState: () => Promise<SessionState>;
}

/** What a driver tells of each step boundary, and asks when it is to go back. */
export interface DriverHistory {
  /** The session has started. */
  begin(start: Boundary & { readonly frameSeconds: number }): Promise<void>;
  /** A step was committed, which gave so many frames, or a reset was applied. */
  add(entry: LeadEntry, boundary: Boundary, frameCount: number): Promise<void>;
  /** The session went back to `target` and goes on from there as a new generation. */
  rewound(target: MomentPosition, boundary: Boundary): Promise<void>;
  /** The moment so many seconds of world time before now; absent: this history knows no time. */
  positionAgo?(seconds: number): MomentPosition;
  /** Whether `stateAt` can give this moment now. */
  has(target: MomentPosition): boolean;
  /** The state of a moment. Throws `not_found` when it was never there or is no longer kept. */
  stateAt(target: MomentPosition): Promise<SessionState>;
  /** Frees everything; idempotent. */
  close(): void;
}
