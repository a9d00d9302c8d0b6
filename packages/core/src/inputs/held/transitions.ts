/** What happened to one key or button over a stretch of time of which the details are unknown or no longer wanted. */
export interface Transition<Code> {
  /** The key or button. */
  readonly code: Code;
  /** Whether it was held before. */
  readonly wasHeld: boolean;
  /** Whether it is held after. */
  readonly isHeld: boolean;
  /** How often it was pressed in between. */
  readonly presses: number;
}

/** One edge of a key or button. */
export interface Edge<Code> {
  /** The key or button. */
  readonly code: Code;
  /** Whether it goes down. */
  readonly down: boolean;
  /** How often it was pressed, for edges that go down; 0 restores held state. */
  readonly presses: number;
}

/**
 * The fewest edges, at most two for each code, that tell held state, presses and releases exactly:
 *
 * | before | after | edges |
 * | --- | --- | --- |
 * | up | down | down with all presses |
 * | up | up | down with all presses, up; nothing without a press |
 * | down | down | up, down with all presses |
 * | down | up | (down with all presses, which tells a held code's presses in between,) up |
 *
 * Releases come first, then presses that have ended, then presses that last, so that no more codes are held at any moment in between
 * than the stretch itself can have had.
 */
export function edgesOf<Code>(transitions: readonly Transition<Code>[]): Edge<Code>[] {
  const releases: Edge<Code>[] = [];
  const taps: Edge<Code>[] = [];
  const lasting: Edge<Code>[] = [];
  for (const { code, wasHeld, isHeld, presses } of transitions) {
    const down: Edge<Code> = { code, down: true, presses };
    const up: Edge<Code> = { code, down: false, presses: 0 };
    if (wasHeld) {
      if (!isHeld && presses > 0) releases.push(down);
      releases.push(up);
      if (isHeld) lasting.push(down);
    } else if (isHeld) {
      lasting.push(down);
    } else if (presses > 0) {
      taps.push(down, up);
    }
  }
  return [...releases, ...taps, ...lasting];
}
