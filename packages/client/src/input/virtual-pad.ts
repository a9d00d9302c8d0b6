import type { PadReading } from "./input-state.ts";

/** Index of the gamepad that on-screen controls pretend to be; the last one, so that real ones come first. */
export const VIRTUAL_PAD_INDEX = 7;

/** A gamepad made of on-screen controls: each sets codes such as `Button7` or `Axis0-` to some strength. Pure. */
export class VirtualPad {
  readonly #levels = new Map<string, number>();

  /** Sets a code to a strength from 0 to 1; false when it has it already. */
  set(code: string, level: number): boolean {
    if ((this.#levels.get(code) ?? 0) === level) return false;
    this.#levels.set(code, level);
    return true;
  }

  /** Sets everything to rest. */
  release(): void {
    for (const code of this.#levels.keys()) this.#levels.set(code, 0);
  }

  /** What it says right now; long enough for every code that was ever set. */
  reading(): PadReading {
    const axes: number[] = [];
    const buttons: number[] = [];
    for (const [code, level] of this.#levels) {
      const axis = /^Axis(\d+)([+-])$/.exec(code);
      if (axis !== null) {
        const index = Number(axis[1]);
        while (axes.length <= index) axes.push(0);
        axes[index] = clamp((axes[index] ?? 0) + (axis[2] === "-" ? -level : level));
        continue;
      }
      const index = Number(code.slice("Button".length));
      while (buttons.length <= index) buttons.push(0);
      buttons[index] = level;
    }
    return { axes, buttons };
  }
}

function clamp(value: number): number {
  return Math.min(1, Math.max(-1, value));
}
