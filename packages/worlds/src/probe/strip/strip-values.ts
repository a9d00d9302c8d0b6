/** The names of the actions that the strip has a bit for; bit 15 stands for every other name. */
export const PROBE_ACTIONS = [
  "forward",
  "back",
  "left",
  "right",
  "up",
  "down",
  "jump",
  "crouch",
  "sprint",
  "use",
  "reload",
  "attack",
  "aim",
  "brake",
  "stop",
] as const;

/** One of `PROBE_ACTIONS`. */
export type ProbeAction = (typeof PROBE_ACTIONS)[number];

/** The bit of the strip that stands for all actions that are not in `PROBE_ACTIONS`. */
export const OTHER_ACTION_BIT = 15;

/**
 * What the strip of one frame says. Counters are given modulo 2 to the power of their width, sums of mouse motion modulo
 * 65,536 pixels as signed numbers in steps of 1/256.
 */
export interface ProbeStripValues {
  /** Number of the frame since the session started or was last reset, modulo 2^24. */
  readonly frameIndex: number;
  /** Number of the step since the session started or was last reset, modulo 2^24. */
  readonly stepIndex: number;
  /** How many resets came before, modulo 2^8. */
  readonly generation: number;
  /** Number of the newest client message whose state the step saw, modulo 2^24; absent when the driver gave none. */
  readonly inputSequence?: number;
  /** Actions held in this step: one bit for each of `PROBE_ACTIONS`, bit 15 for any other. */
  readonly heldBits: number;
  /** Actions pressed within this step, in the same bits. */
  readonly pressedBits: number;
  /** Presses of all actions since the start or reset, modulo 2^16. */
  readonly pressCount: number;
  /** Sum of all horizontal mouse motion since the start or reset, in pixels. */
  readonly lookSumX: number;
  /** Sum of all vertical mouse motion since the start or reset, in pixels. */
  readonly lookSumY: number;
  /** The driver command of this step; absent when no device supplied one. */
  readonly driverCommand?: ProbeStripCommand;
  /** `promptHash` of the prompt in force; absent when there is none. */
  readonly promptHash?: number;
}

/** The driver command as the strip holds it. */
export interface ProbeStripCommand {
  /** 0 to 1 in steps of 1/63. */
  readonly throttle: number;
  /** 0 to 1 in steps of 1/63. */
  readonly brake: number;
  /** −1 (right) to 1 (left) in steps of 1/31. */
  readonly steer: number;
  /** Whether reverse gear is engaged. */
  readonly reverse: boolean;
  /** Whether the vehicle is told to stop. */
  readonly stop: boolean;
}

/** The bits of a set of action names. */
export function actionBits(names: Iterable<string>): number {
  const known: readonly string[] = PROBE_ACTIONS;
  let bits = 0;
  for (const name of names) {
    const bit = known.indexOf(name);
    bits |= 1 << (bit < 0 ? OTHER_ACTION_BIT : bit);
  }
  return bits;
}

/** The names of `PROBE_ACTIONS` whose bits are set, in their order; bit 15 has no name. */
export function actionsOfBits(bits: number): readonly ProbeAction[] {
  return PROBE_ACTIONS.filter((_, bit) => ((bits >>> bit) & 1) === 1);
}
