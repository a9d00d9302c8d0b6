/**
 * Ends what a run has opened, in reverse order of the standard loop, each step guarded: one failure does not keep the others from
 * being closed. The first cleanup error is kept; it is raised only when the run itself had no error.
 */
export class Cleanup {
  readonly #tasks: (() => unknown)[] = [];
  #failed = false;
  #error: unknown;

  /** Adds something to end; what is added later is ended earlier. */
  add(end: () => unknown): void {
    this.#tasks.push(end);
  }

  /** Ends everything; never rejects. */
  async run(): Promise<void> {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      try {
        await task();
      } catch (error) {
        if (!this.#failed) this.#error = error;
        this.#failed = true;
      }
    }
  }

  /** Throws the first cleanup error, if there was one. */
  raise(): void {
    if (this.#failed) throw this.#error;
  }
}
