import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { Boundary, DriverHistory, MomentPosition } from "./driver-history.ts";
import type { LeadEntry, SessionState } from "./session-state.ts";

/** The history of a run of which it is known where it will go back to: it keeps those states alone, each until it was used for the last time. */
export class PlannedHistory implements DriverHistory {
  readonly #uses = new Map<string, number>();
  readonly #states = new Map<string, SessionState>();

  /** `targets` are the moments to which the run will go back, as often as it will. */
  constructor(targets: readonly MomentPosition[]) {
    for (const target of targets) this.#uses.set(keyOf(target), (this.#uses.get(keyOf(target)) ?? 0) + 1);
  }

  /** Keeps the state of the start when it is needed. */
  begin(start: Boundary): Promise<void> {
    return this.#keep(start);
  }

  /** Keeps the state of the boundary when it is needed. */
  add(_entry: LeadEntry, boundary: Boundary): Promise<void> {
    return this.#keep(boundary);
  }

  /** Lets go of the state that was used, and keeps that of the new generation when it is needed. */
  async rewound(target: MomentPosition, boundary: Boundary): Promise<void> {
    const key = keyOf(target);
    const left = (this.#uses.get(key) ?? 1) - 1;
    this.#uses.set(key, left);
    if (left <= 0) this.#states.delete(key);
    await this.#keep(boundary);
  }

  /** Whether the state is kept. */
  has(target: MomentPosition): boolean {
    return this.#states.has(keyOf(target));
  }

  /** The state of a moment. Throws `not_found` for one that was not planned. */
  async stateAt(target: MomentPosition): Promise<SessionState> {
    const state = this.#states.get(keyOf(target));
    if (state !== undefined) return state;
    throw notKept(target);
  }

  /** Frees everything. */
  close(): void {
    this.#states.clear();
    this.#uses.clear();
  }

  async #keep({ position, takeState }: Boundary): Promise<void> {
    const key = keyOf(position);
    if ((this.#uses.get(key) ?? 0) > 0 && !this.#states.has(key)) this.#states.set(key, await takeState());
  }
}

/** A moment that cannot be gone back to. */
export function notKept({ generation, stepIndex }: MomentPosition): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.notFound,
    `step ${stepIndex} of generation ${generation} is not in the history; choose a moment that is`,
    { details: { generation, stepIndex } },
  );
}

function keyOf({ generation, stepIndex }: MomentPosition): string {
  return `${generation}:${stepIndex}`;
}
