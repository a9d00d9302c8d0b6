/**
 * Which codes are held, by whom. A physical key and an on-screen button may hold the same code; it counts as pressed once and is
 * released when the last of them lets go.
 */
export class PressedCodes<Code extends string | number> {
  readonly #holders = new Map<Code, Set<string>>();
  readonly #counts = new Map<Code, number>();

  /** Held codes in the order in which they were pressed. */
  get held(): readonly Code[] {
    return [...this.#holders.keys()];
  }

  /** Whether anything is held. */
  get isEmpty(): boolean {
    return this.#holders.size === 0;
  }

  /** Presses of each code since the epoch began. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** `holder` presses; false when it held the code already. */
  press(code: Code, holder: string): boolean {
    const holders = this.#holders.get(code);
    if (holders === undefined) {
      this.#holders.set(code, new Set([holder]));
      this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1);
      return true;
    }
    if (holders.has(holder)) return false;
    holders.add(holder);
    return true;
  }

  /** `holder` lets go; false when it did not hold the code. */
  release(code: Code, holder: string): boolean {
    const holders = this.#holders.get(code);
    if (holders?.delete(holder) !== true) return false;
    if (holders.size === 0) this.#holders.delete(code);
    return true;
  }

  /** Everybody lets go of everything; counts stay. */
  releaseAll(): void {
    this.#holders.clear();
  }

  /** Counts begin again at 0; what is held stays held. */
  beginEpoch(): void {
    this.#counts.clear();
  }
}

/** From this value on a button counts as pressed, as on the server. */
const PRESSED_LEVEL = 0.5;

/** How often each button of a pad was pressed since the epoch began. */
export class PadCounts {
  #values: number[] = [];
  #down: boolean[] = [];

  /** Presses by button. */
  get values(): readonly number[] {
    return [...this.#values];
  }

  /** Takes over new values of all buttons; presses without `isCounted` are seen but not counted. */
  read(buttons: readonly number[], options: { readonly isCounted: boolean }): void {
    const down = buttons.map((value) => value >= PRESSED_LEVEL);
    this.#values = down.map((isDown, index) => {
      const isPress = options.isCounted && isDown && this.#down[index] !== true;
      return (this.#values[index] ?? 0) + (isPress ? 1 : 0);
    });
    this.#down = down;
  }

  /** Counts begin again at 0. */
  beginEpoch(): void {
    this.#values = this.#values.map(() => 0);
  }
}
