import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import type { TraceRecord, TraceStepLine } from "./read-records.ts";
import type {
  TraceEvent,
  TraceFooter,
  TraceHeader,
  TraceLimits,
  TracePause,
  TraceReset,
  TraceRewind,
  TraceFork,
  TraceOrigin,
  TraceStep,
  TraceTolerance,
  TraceUpdate,
} from "./trace-records.ts";

/** Something whole that a trace holds. */
export type TraceItem =
  | { readonly kind: "header"; readonly header: TraceHeader }
  | { readonly kind: "step"; readonly step: TraceStep }
  | { readonly kind: "pause"; readonly pause: TracePause }
  | { readonly kind: "fork"; readonly fork: TraceFork }
  | { readonly kind: "footer"; readonly footer: TraceFooter; readonly trailingResets: readonly TraceReset[] }
  | { readonly kind: "tolerance"; readonly tolerance: TraceTolerance };

/** Puts the lines of each step together and refuses an order that no run can have made. */
export class TraceAssembler {
  readonly #limits: TraceLimits;
  #state: "start" | "running" | "ended" = "start";
  #events: TraceEvent[] = [];
  #rewind: TraceRewind | undefined;
  #resets: TraceReset[] = [];
  #origin: TraceOrigin | undefined;
  #update: TraceUpdate | undefined;
  #last: TraceStepLine | undefined;
  #stepCount = 0;
  #eventCount = 0;
  #resetCount = 0;

  /** Refuses what exceeds `limits`. */
  constructor(limits: TraceLimits) {
    this.#limits = limits;
  }

  /** Whether the footer has been read. */
  get hasFooter(): boolean {
    return this.#state === "ended";
  }

  /** Whether the header has been read. */
  get hasHeader(): boolean {
    return this.#state !== "start";
  }

  /** Lines that wait for the step that they belong to. */
  get pendingLines(): number {
    const single = [this.#update, this.#rewind].filter((line) => line !== undefined).length;
    return this.#events.length + this.#resets.length + single;
  }

  /** Takes the next line; gives what became whole by it, if anything. Throws `trace_invalid` when it cannot stand here. */
  take(record: TraceRecord): TraceItem | undefined {
    if ((this.#state === "start") !== (record.type === "header")) {
      invalid(
        this.#state === "start" ? "the header has to be the first line" : "a header stands in the first line only",
      );
    }
    if (this.#state === "ended" && record.type !== "tolerance") invalid("only tolerances may follow the footer");
    switch (record.type) {
      case "header": {
        const { type: _type, ...header } = record;
        this.#state = "running";
        this.#origin = header.origin;
        return { kind: "header", header };
      }
      case "event": {
        const { type: _type, ...event } = record;
        this.#takeEvent(event);
        return undefined;
      }
      case "reset": {
        const { type: _type, ...reset } = record;
        this.#expect("reset.stepNumber", this.#stepCount, reset.stepNumber);
        this.#expect("reset.generation", this.#generation + 1, reset.generation);
        this.#resets.push(reset);
        return undefined;
      }
      case "rewind": {
        const { type: _type, ...rewind } = record;
        this.#expect("rewind.stepNumber", this.#stepCount, rewind.stepNumber);
        if (this.#rewind !== undefined || this.#resets.length > 0)
          invalid("a rewind is the first of what precedes a step");
        this.#expect("rewind.generation", this.#generation + 1, rewind.generation);
        if (rewind.toGeneration >= rewind.generation) {
          invalid(`rewind.toGeneration: expected below ${rewind.generation}, found ${rewind.toGeneration}`);
        }
        this.#rewind = rewind;
        return undefined;
      }
      case "fork": {
        const { type: _type, ...fork } = record;
        this.#expect("fork.stepNumber", this.#stepCount, fork.stepNumber);
        return { kind: "fork", fork };
      }
      case "update": {
        const { type: _type, ...update } = record;
        this.#expect("update.stepNumber", this.#stepCount, update.stepNumber);
        if (this.#update !== undefined) invalid("a step has one update at most");
        this.#update = update;
        return undefined;
      }
      case "step": {
        const { type: _type, ...line } = record;
        return { kind: "step", step: this.#takeStep(line) };
      }
      case "pause": {
        const { type: _type, ...pause } = record;
        this.#expect("pause.stepNumber", this.#stepCount, pause.stepNumber);
        return { kind: "pause", pause };
      }
      case "footer": {
        const { type: _type, ...footer } = record;
        return this.#takeFooter(footer);
      }
      case "tolerance": {
        const { type: _type, ...tolerance } = record;
        return { kind: "tolerance", tolerance };
      }
    }
  }

  #takeEvent(event: TraceEvent): void {
    if (this.#events.length >= this.#limits.eventsPerStep) {
      invalid(`expected at most ${this.#limits.eventsPerStep} events in one step`);
    }
    const before = this.#events.at(-1)?.timestampSeconds ?? 0;
    if (event.timestampSeconds < before) {
      invalid(`event.timestampSeconds: expected at least ${before}, found ${event.timestampSeconds}`);
    }
    this.#events.push(event);
  }

  #takeStep({ eventCount, ...line }: TraceStepLine): TraceStep {
    if (this.#stepCount >= this.#limits.steps) invalid(`expected at most ${this.#limits.steps} steps`);
    this.#expect("step.stepNumber", this.#stepCount, line.stepNumber);
    this.#expect("step.eventCount", this.#events.length, eventCount);
    this.#expect("step.generation", this.#generation, line.generation);
    this.#expect("step.stepIndex", this.#nextIndex(), line.stepIndex);
    const earliest = this.#last?.window.endSeconds ?? this.#origin?.sessionSeconds ?? 0;
    if (line.window.startSeconds < earliest) {
      invalid(`step.window.startSeconds: expected at least ${earliest}, found ${line.window.startSeconds}`);
    }
    if (line.frameHashes !== undefined) {
      this.#expect("step.frameHashes (its length)", line.frameCount, line.frameHashes.length);
    }
    const update = this.#update;
    const rewind = this.#rewind;
    const step = {
      ...line,
      events: this.#events,
      ...(rewind === undefined ? {} : { rewind }),
      resets: this.#resets,
      ...(update === undefined ? {} : { update }),
    };
    this.#stepCount += 1;
    this.#eventCount += this.#events.length;
    this.#resetCount += this.#resets.length;
    this.#last = { ...line, eventCount };
    this.#events = [];
    this.#resets = [];
    this.#rewind = undefined;
    this.#update = undefined;
    return step;
  }

  /** The generation in force, what waits for the next step included. */
  get #generation(): number {
    const before = this.#last?.generation ?? this.#origin?.generation ?? 0;
    return this.#resets.at(-1)?.generation ?? this.#rewind?.generation ?? before;
  }

  /** The index that the next step has. */
  #nextIndex(): number {
    if (this.#resets.length > 0) return 0;
    if (this.#rewind !== undefined) return this.#rewind.stepIndex;
    return this.#last === undefined ? (this.#origin?.stepIndex ?? 0) : this.#last.stepIndex + 1;
  }

  #takeFooter(footer: TraceFooter): TraceItem {
    if (this.#events.length > 0 || this.#update !== undefined) invalid("events or an update stand without their step");
    // A rewind or a reset may be the last thing that a run did.
    this.#rewind = undefined;
    this.#expect("footer.stepCount", this.#stepCount, footer.stepCount);
    this.#expect("footer.eventCount", this.#eventCount, footer.eventCount);
    this.#expect("footer.resetCount", this.#resetCount + this.#resets.length, footer.resetCount);
    const trailingResets = this.#resets;
    this.#resets = [];
    this.#state = "ended";
    return { kind: "footer", footer, trailingResets };
  }

  #expect(field: string, expected: number, found: number): void {
    if (found !== expected) invalid(`${field}: expected ${expected}, found ${found}`);
  }
}

function invalid(what: string): never {
  throw new DreamloopError(ERROR_CODES.traceInvalid, what);
}
