import type { Clock } from "../foundation/time/clock.ts";
import type { Mapping } from "../foundation/validate/reader.ts";
import type { MetricsRecorder } from "../foundation/metrics/metrics-recorder.ts";

/** One stretch of work with a name. */
export interface SpanRecord {
  /** What was done. */
  readonly name: string;
  /** When it began, in seconds of the clock. */
  readonly startSeconds: number;
  /** When it ended. */
  readonly endSeconds: number;
  /** How many spans were open around it. */
  readonly depth: number;
  /** The name of the span around it; absent at the top. */
  readonly parent?: string;
  /** Further facts. */
  readonly metadata?: Mapping;
}

/** Told about spans as they end. */
export interface SpanListener {
  /** A span is over. */
  span(record: SpanRecord): void;
}

/** What `Instruments` are made from; with neither `recorder` nor `spans` nothing is measured and nothing costs anything. */
export interface InstrumentsOptions {
  /** The clock that is read. */
  readonly clock: Clock;
  /** Gets each span as a timing. */
  readonly recorder?: MetricsRecorder;
  /** Gets each span as it is. */
  readonly spans?: SpanListener;
}

/** Facts that a span may carry. */
export interface SpanOptions {
  /** The step it belongs to. */
  readonly stepIndex?: number;
  /** Further facts. */
  readonly metadata?: Mapping;
}

interface OpenSpan {
  readonly name: string;
  readonly parent: OpenSpan | undefined;
}

const NOTHING: Disposable = Object.freeze({ [Symbol.dispose]: () => undefined });

/**
 * The ergonomic side of metrics: `using span = instruments.span("decode")` measures until the end of the block and nests;
 * `wrap` measures every call of a function; the decorator `timed` every call of a method.
 */
export class Instruments {
  /** Measures nothing. */
  static readonly none = new Instruments();
  readonly #clock: Clock | undefined;
  readonly #recorder: MetricsRecorder | undefined;
  readonly #spans: SpanListener | undefined;
  #open: OpenSpan | undefined;

  /** Without options nothing is measured. */
  constructor(options?: InstrumentsOptions) {
    const attached = options?.recorder !== undefined || options?.spans !== undefined;
    this.#clock = attached ? options.clock : undefined;
    this.#recorder = options?.recorder;
    this.#spans = options?.spans;
  }

  /** Whether somebody listens. */
  get attached(): boolean {
    return this.#clock !== undefined;
  }

  /** Opens a span that ends when it is disposed; a second disposal does nothing. */
  span(name: string, options?: SpanOptions): Disposable {
    const clock = this.#clock;
    if (clock === undefined) return NOTHING;
    const parent = this.#open;
    const open: OpenSpan = { name, parent };
    this.#open = open;
    const startSeconds = clock.nowSeconds();
    let over = false;
    return {
      [Symbol.dispose]: () => {
        if (over) return;
        over = true;
        this.#end(open, startSeconds, clock.nowSeconds(), options);
      },
    };
  }

  /** A function that does the same and is measured under `name`; a promise is measured until it settles. */
  wrap<Arguments extends unknown[], Result>(
    name: string,
    work: (...args: Arguments) => Result,
  ): (...args: Arguments) => Result {
    if (!this.attached) return work;
    return (...args) => this.measure(name, () => work(...args));
  }

  /** Runs `work` under `name`; a promise is measured until it settles. */
  measure<Result>(name: string, work: () => Result, options?: SpanOptions): Result {
    if (!this.attached) return work();
    const span = this.span(name, options);
    let result: Result;
    try {
      result = work();
    } catch (error) {
      span[Symbol.dispose]();
      throw error;
    }
    if (result instanceof Promise) return result.finally(() => span[Symbol.dispose]()) as Result;
    span[Symbol.dispose]();
    return result;
  }

  #end(open: OpenSpan, startSeconds: number, endSeconds: number, options: SpanOptions | undefined): void {
    // Asynchronous spans may end out of order: only the innermost open one moves the stack.
    if (this.#open === open) this.#open = open.parent;
    let depth = 0;
    for (let around = open.parent; around !== undefined; around = around.parent) depth += 1;
    const parent = open.parent?.name;
    this.#recorder?.recordTiming(open.name, endSeconds - startSeconds, options);
    this.#spans?.span({
      name: open.name,
      startSeconds,
      endSeconds,
      depth,
      ...(parent === undefined ? {} : { parent }),
      ...(options?.metadata === undefined ? {} : { metadata: options.metadata }),
    });
  }
}

/** What a class needs for its methods to be measured by `timed`. */
export interface Instrumented {
  /** The instruments of this object; absent: nothing is measured. */
  readonly instruments?: Instruments;
}

/**
 * A standard method decorator: measures each call under `name` (default: the method's own name) with the object's `instruments`.
 *
 * @example
 * class Decoder implements Instrumented {
 *   constructor(readonly instruments: Instruments) {}
 *   @timed() decode(bytes: Uint8Array) { … }
 * }
 */
export function timed(name?: string) {
  return function decorate<This extends Instrumented, Arguments extends unknown[], Result>(
    method: (this: This, ...args: Arguments) => Result,
    context: ClassMethodDecoratorContext<This, (this: This, ...args: Arguments) => Result>,
  ): (this: This, ...args: Arguments) => Result {
    const label = name ?? String(context.name);
    return function measured(this: This, ...args: Arguments): Result {
      const { instruments } = this;
      if (instruments === undefined || !instruments.attached) return method.apply(this, args);
      return instruments.measure(label, () => method.apply(this, args));
    };
  };
}
