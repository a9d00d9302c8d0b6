import { RUN_OUTCOMES } from "../rollout/run-observer.ts";
import type { TraceStepLine } from "./format/read-records.ts";
import { footerText } from "./format/write-records.ts";

/**
 * Counts what a `TraceEncoder` hands to its sink, so that a copy of the trace can be given out while the run goes on: with `footer` behind
 * it the copy is complete, and says that it ends where the copy was made and not where the run did.
 */
export class TraceTally {
  #stepCount = 0;
  #frameCount = 0;
  #eventCount = 0;
  #resetCount = 0;
  #hasEnded = false;

  /** Takes whole lines, as the sink gets them. */
  take(lines: string): void {
    // Lines begin with their type, as `write-records.ts` makes them; only those of steps have to be read.
    for (const line of lines.split("\n")) {
      if (line.startsWith('{"type":"event"')) this.#eventCount += 1;
      else if (line.startsWith('{"type":"reset"')) this.#resetCount += 1;
      else if (line.startsWith('{"type":"footer"')) this.#hasEnded = true;
      else if (line.startsWith('{"type":"step"')) {
        const { frameCount, discarded } = JSON.parse(line) as Pick<TraceStepLine, "frameCount" | "discarded">;
        this.#stepCount += 1;
        if (!discarded) this.#frameCount += frameCount;
      }
    }
  }

  /** The footer for a copy that ends here; empty when the run's own is there already. */
  get footer(): string {
    if (this.#hasEnded) return "";
    const end = { outcome: RUN_OUTCOMES.closed, stepCount: this.#stepCount, frameCount: this.#frameCount };
    const counts = { events: this.#eventCount, resets: this.#resetCount };
    return footerText(end, { ...counts, stillRunning: true });
  }
}
