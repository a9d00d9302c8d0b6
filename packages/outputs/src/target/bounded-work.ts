/** Runs tasks side by side up to a bound; a fault of one is met by whoever asks next. */
export class BoundedWork {
  readonly #limit: number;
  readonly #running = new Set<Promise<void>>();
  #fault: { readonly error: unknown } | undefined;

  /** `limit` is how many tasks run at once. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Starts a task as soon as there is room, and resolves when it has started. Throws the first fault of an earlier one. */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#limit) await Promise.race(this.#running);
    this.#throwFault();
    const running = task()
      .catch((error: unknown) => {
        this.#fault ??= { error };
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all tasks; throws the first fault. */
  async drain(): Promise<void> {
    await this.settle();
    this.#throwFault();
  }

  /** Waits for all tasks; never throws. */
  async settle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #throwFault(): void {
    if (this.#fault !== undefined) throw this.#fault.error;
  }
}
