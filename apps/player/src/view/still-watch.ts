/** Milliseconds without a picture after which a video counts as standing still. */
export const STILL_MILLISECONDS = 1_500;

/** Tells from the times of its pictures whether a video moves. One picture alone, as a paused session shows it to newcomers, does not. */
export class StillWatch {
  #last: number | undefined;
  #before: number | undefined;

  /** A picture was shown. */
  see(nowMilliseconds: number): void {
    this.#before = this.#last;
    this.#last = nowMilliseconds;
  }

  /** Whether pictures come. */
  isMoving(nowMilliseconds: number): boolean {
    if (this.#last === undefined || this.#before === undefined) return false;
    return nowMilliseconds - this.#last < STILL_MILLISECONDS && this.#last - this.#before < STILL_MILLISECONDS;
  }
}
