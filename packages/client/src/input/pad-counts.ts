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
