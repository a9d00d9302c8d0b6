import type { Stage, StageListener } from "../rollout/stages.ts";
import type { SpanListener, SpanRecord } from "./instruments.ts";

/** Spans that one trace keeps; later ones are counted only, so that a long run does not fill the memory. */
export const MAX_TRACE_SPANS = 1_000_000;

/** One complete event of the Trace Event Format, as Chrome's tracing page and Perfetto read it. */
export interface ChromeTraceEvent {
  /** What was done. */
  readonly name: string;
  /** Its category. */
  readonly cat: string;
  /** A complete event. */
  readonly ph: "X";
  /** Start in microseconds since the first span. */
  readonly ts: number;
  /** Duration in microseconds. */
  readonly dur: number;
  /** Always 1: one process. */
  readonly pid: 1;
  /** 1 for the loop's stages, 2 for spans. */
  readonly tid: number;
  /** Further facts. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** A trace file. */
export interface ChromeTraceFile {
  /** The unit that viewers show. */
  readonly displayTimeUnit: "ms";
  /** The spans. */
  readonly traceEvents: readonly ChromeTraceEvent[];
  /** How many spans were left out because of the limit. */
  readonly otherData: { readonly droppedSpans: number };
}

/**
 * Collects the stages of the loop and the spans of instruments as a trace that Perfetto and Chrome open: `--profile`.
 */
export class ChromeTrace implements StageListener, SpanListener {
  readonly #events: ChromeTraceEvent[] = [];
  #originSeconds: number | undefined;
  #dropped = 0;

  /** Adds a stage of the loop. */
  stage(stage: Stage, stepNumber: number, startSeconds: number, endSeconds: number): void {
    this.#add(`loop.${stage}`, "loop", 1, startSeconds, endSeconds, { stepNumber });
  }

  /** Adds a span. */
  span(record: SpanRecord): void {
    this.#add(record.name, "span", 2, record.startSeconds, record.endSeconds, record.metadata ?? {});
  }

  /** The trace so far. */
  toFile(): ChromeTraceFile {
    return { displayTimeUnit: "ms", traceEvents: [...this.#events], otherData: { droppedSpans: this.#dropped } };
  }

  #add(
    name: string,
    cat: string,
    tid: number,
    startSeconds: number,
    endSeconds: number,
    args: Readonly<Record<string, unknown>>,
  ): void {
    if (this.#events.length >= MAX_TRACE_SPANS) {
      this.#dropped += 1;
      return;
    }
    this.#originSeconds ??= startSeconds;
    const ts = (startSeconds - this.#originSeconds) * 1e6;
    this.#events.push({ name, cat, ph: "X", ts, dur: (endSeconds - startSeconds) * 1e6, pid: 1, tid, args });
  }
}
