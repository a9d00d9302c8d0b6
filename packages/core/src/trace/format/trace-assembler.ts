import { DreamloopError, ERROR_CODES } from "../../foundation/dreamloop-error.ts";
import type { TraceRecord, TraceStepLine } from "./read-records.ts";
import type {
  TraceEvent,
  TraceFooter,
  TraceHeader,
  TraceLimits,
  TracePause,
  TraceReset,
  TraceStep,
  TraceTolerance,
  TraceUpdate,
} from "./trace-records.ts";

/** Something whole that a trace holds. */
export type TraceItem =
  | { readonly kind: "header"; readonly header: TraceHeader }
  | { readonly kind: "step"; readonly step: TraceStep }
  | { readonly kind: "pause"; readonly pause: TracePause }
  | { readonly kind: "footer"; readonly footer: TraceFooter; readonly trailingResets: readonly TraceReset[] }
  | { readonly kind: "tolerance"; readonly tolerance: TraceTolerance };

/** Puts the lines of each step together and refuses an order that no run can have made. */
export class TraceAssembler {
  readonly #limits: TraceLimits;
  #state: "start" | "running" | "ended" = "start";
  #events: TraceEvent[] = [];
  #resets: TraceReset[] = [];
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
    return this.#events.length + this.#resets.length + (this.#update === undefined ? 0 : 1);
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
        const expected = (this.#resets.at(-1)?.generation ?? this.#last?.generation ?? 0) + 1;
        if (reset.generation !== expected) invalid(`reset.generation: expected ${expected}, found ${reset.generation}`);
        this.#resets.push(reset);
        return undefined;
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
    const reset = this.#resets.at(-1);
    this.#expect("step.generation", reset?.generation ?? this.#last?.generation ?? 0, line.generation);
    const nextIndex = reset === undefined && this.#last !== undefined ? this.#last.stepIndex + 1 : 0;
    this.#expect("step.stepIndex", nextIndex, line.stepIndex);
    const earliest = this.#last?.window.endSeconds ?? 0;
    if (line.window.startSeconds < earliest) {
      invalid(`step.window.startSeconds: expected at least ${earliest}, found ${line.window.startSeconds}`);
    }
    if (line.frameHashes !== undefined) {
      this.#expect("step.frameHashes (its length)", line.frameCount, line.frameHashes.length);
    }
    const update = this.#update;
    const step = { ...line, events: this.#events, resets: this.#resets, ...(update === undefined ? {} : { update }) };
    this.#stepCount += 1;
    this.#eventCount += this.#events.length;
    this.#resetCount += this.#resets.length;
    this.#last = { ...line, eventCount };
    this.#events = [];
    this.#resets = [];
    this.#update = undefined;
    return step;
  }

  #takeFooter(footer: TraceFooter): TraceItem {
    if (this.#events.length > 0 || this.#update !== undefined) invalid("events or an update stand without their step");
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
