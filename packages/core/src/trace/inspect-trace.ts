import type { RunOutcome } from "../rollout/run-observer.ts";
import type { TraceHeader, TraceStep, TraceTolerance } from "./format/trace-records.ts";
import type { TraceChunks } from "./format/trace-lines.ts";
import { traceItems, type ReadTraceOptions, type TraceEnd } from "./read-trace.ts";

/** Changes of initial values that a summary lists at most; further ones are only counted. */
export const MAX_LISTED_CHANGES = 100;

/** A reset, a rewind or an update, and where it took effect. */
export interface TraceChange {
  /** What it was. */
  readonly kind: "reset" | "rewind" | "update";
  /** The step over all generations before or with which it took effect. */
  readonly stepNumber: number;
  /** Session time of that step's window, its start, in seconds. */
  readonly timestampSeconds: number;
  /** The seed of a reset; the moment of a rewind; the names of the updated fields. */
  readonly detail: string;
}

/** What a trace holds, without its steps. */
export interface TraceSummary extends TraceEnd {
  /** What was known at the start. */
  readonly header: TraceHeader;
  /** How the run ended; absent: the trace was cut off. */
  readonly outcome?: RunOutcome;
  /** Whole steps. */
  readonly stepCount: number;
  /** Frames that the steps gave. */
  readonly generatedFrames: number;
  /** Whether this is a copy that was made while the run went on. */
  readonly stillRunning?: boolean;
  /** Frames that were delivered; absent: the trace was cut off. */
  readonly deliveredFrames?: number;
  /** Steps whose frames were held back because of a reset. */
  readonly discardedSteps: number;
  /** Frames that have a hash. */
  readonly hashedFrames: number;
  /** Events in whole steps. */
  readonly eventCount: number;
  /** Events by their type. */
  readonly eventTypes: Readonly<Record<string, number>>;
  /** Resets. */
  readonly resetCount: number;
  /** Returns to an earlier moment. */
  readonly rewindCount: number;
  /** Sessions that were begun from moments of this one. */
  readonly forkCount: number;
  /** Steps with an update. */
  readonly updateCount: number;
  /** Pauses. */
  readonly pauseCount: number;
  /** The first resets, rewinds and updates in their order, at most `MAX_LISTED_CHANGES`. */
  readonly changes: readonly TraceChange[];
  /** Session time at the end of the last window, in seconds. */
  readonly sessionSeconds: number;
  /** Number of the newest client message that a step saw. */
  readonly inputSequence?: number;
  /** The newest measured tolerance. */
  readonly tolerance?: TraceTolerance;
}

/** Reads a trace once, from start to end, and says what it holds; memory does not grow with its length. Throws what `traceItems` throws. */
export async function inspectTrace(chunks: TraceChunks, options: ReadTraceOptions = {}): Promise<TraceSummary> {
  const counter = new TraceCounter();
  const items = traceItems(chunks, options);
  let next = await items.next();
  let header: TraceHeader | undefined;
  let tolerance: TraceTolerance | undefined;
  let ending: Pick<TraceSummary, "outcome" | "stillRunning" | "deliveredFrames"> = {};
  for (; next.done !== true; next = await items.next()) {
    const item = next.value;
    switch (item.kind) {
      case "header":
        header = item.header;
        break;
      case "step":
        counter.step(item.step);
        break;
      case "pause":
        if (item.pause.paused) counter.pauseCount += 1;
        break;
      case "fork":
        counter.forkCount += 1;
        break;
      case "footer":
        ending = {
          outcome: item.footer.outcome,
          deliveredFrames: item.footer.frameCount,
          ...(item.footer.stillRunning === undefined ? {} : { stillRunning: item.footer.stillRunning }),
        };
        counter.resetCount += item.trailingResets.length;
        break;
      case "tolerance":
        tolerance = item.tolerance;
        break;
    }
  }
  return {
    header: header as TraceHeader,
    ...ending,
    ...counter.counts(),
    ...(tolerance === undefined ? {} : { tolerance }),
    ...next.value,
  };
}

class TraceCounter {
  pauseCount = 0;
  rewindCount = 0;
  forkCount = 0;
  resetCount = 0;
  #stepCount = 0;
  #generatedFrames = 0;
  #discardedSteps = 0;
  #hashedFrames = 0;
  #eventCount = 0;
  #updateCount = 0;
  #sessionSeconds = 0;
  #inputSequence: number | undefined;
  readonly #eventTypes = new Map<string, number>();
  readonly #changes: TraceChange[] = [];

  step(step: TraceStep): void {
    this.#stepCount += 1;
    this.#generatedFrames += step.frameCount;
    this.#hashedFrames += step.frameHashes?.length ?? 0;
    if (step.discarded) this.#discardedSteps += 1;
    for (const { eventType } of step.events) {
      this.#eventTypes.set(eventType, (this.#eventTypes.get(eventType) ?? 0) + 1);
    }
    this.#eventCount += step.events.length;
    this.#sessionSeconds = step.window.endSeconds;
    this.#inputSequence = step.inputSequence ?? this.#inputSequence;
    const at = { stepNumber: step.stepNumber, timestampSeconds: step.window.startSeconds };
    if (step.rewind !== undefined) {
      const { toGeneration, stepIndex } = step.rewind;
      this.#change({ kind: "rewind", ...at, detail: `step ${stepIndex} of generation ${toGeneration}` });
      this.rewindCount += 1;
    }
    for (const { seed } of step.resets) this.#change({ kind: "reset", ...at, detail: `seed ${seed}` });
    this.resetCount += step.resets.length;
    if (step.update === undefined) return;
    this.#updateCount += 1;
    this.#change({ kind: "update", ...at, detail: Object.keys(step.update.values.json as object).join(", ") });
  }

  counts(): Omit<
    TraceSummary,
    "header" | "outcome" | "stillRunning" | "deliveredFrames" | "tolerance" | keyof TraceEnd
  > {
    const inputSequence = this.#inputSequence;
    return {
      stepCount: this.#stepCount,
      generatedFrames: this.#generatedFrames,
      discardedSteps: this.#discardedSteps,
      hashedFrames: this.#hashedFrames,
      eventCount: this.#eventCount,
      eventTypes: Object.fromEntries(this.#eventTypes),
      resetCount: this.resetCount,
      rewindCount: this.rewindCount,
      forkCount: this.forkCount,
      updateCount: this.#updateCount,
      pauseCount: this.pauseCount,
      changes: this.#changes,
      sessionSeconds: this.#sessionSeconds,
      ...(inputSequence === undefined ? {} : { inputSequence }),
    };
  }

  #change(change: TraceChange): void {
    if (this.#changes.length < MAX_LISTED_CHANGES) this.#changes.push(change);
  }
}
