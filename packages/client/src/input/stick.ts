/** Where an on-screen stick stands, −1 to 1 each; y down positive. */
export interface StickPosition {
  /** Left to right. */
  readonly x: number;
  /** Top to bottom. */
  readonly y: number;
}

/** How far each direction of a stick is pushed, 0 to 1. */
export interface StickLevels {
  /** Upwards. */
  readonly up: number;
  /** Downwards. */
  readonly down: number;
  /** To the left. */
  readonly left: number;
  /** To the right. */
  readonly right: number;
}

/** Pushes up to this share of the radius count as rest. */
const DEAD_ZONE = 0.12;
/** From this level on a key is held; below the lower one it is let go of, so that a trembling finger does not type. */
const KEY_ON = 0.45;
const KEY_OFF = 0.3;

/** The position of a stick whose knob was dragged from its centre; a longer drag than the radius counts as the radius. */
export function stickPosition(deltaX: number, deltaY: number, radius: number): StickPosition {
  const length = Math.hypot(deltaX, deltaY);
  if (radius <= 0 || length <= radius * DEAD_ZONE) return { x: 0, y: 0 };
  const pushed = (Math.min(length, radius) / radius - DEAD_ZONE) / (1 - DEAD_ZONE);
  return { x: (deltaX / length) * pushed, y: (deltaY / length) * pushed };
}

/** How far each direction is pushed; two decimals, so that nothing is sent for less. */
export function stickLevels({ x, y }: StickPosition): StickLevels {
  const level = (value: number): number => Math.round(Math.max(0, value) * 100) / 100;
  return { up: level(-y), down: level(y), left: level(-x), right: level(x) };
}

/** Whether a key stands for this push, given whether it does already. */
export function isKeyOn(level: number, wasOn: boolean): boolean {
  return level >= (wasOn ? KEY_OFF : KEY_ON);
}
