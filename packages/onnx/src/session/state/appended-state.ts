import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { allocate, elementCount, type Tensor, type TensorData } from "../../manifest/tensor.ts";
import type { AppendedStateDeclaration } from "../../manifest/world-manifest.ts";
import type { CacheSpan } from "./cache-span.ts";

/** Which of the entries appended so far are kept: positions below `sinkCount`, and those from `windowStart` on. */
interface Kept {
  readonly total: number;
  readonly sinkCount: number;
  readonly windowStart: number;
  readonly length: number;
}

/** The complete content of an appended state, for snapshots. */
export interface AppendedContent {
  /** Entries appended since the start. */
  readonly total: number;
  /** The memory as graphs see it. */
  readonly data: TensorData;
}

/**
 * A cache: a tensor that entries are appended to along one axis. Once the window is full its memory neither grows nor
 * moves. What is kept depends on the number of entries appended so far alone, so that the counter is all there is to it.
 */
export class AppendedState {
  readonly #state: AppendedStateDeclaration;
  readonly #span: CacheSpan;
  /** Elements before the axis, as many stretches of memory there are. */
  readonly #outer: number;
  /** Elements of one entry within a stretch. */
  readonly #inner: number;
  #kept: Kept;
  #tensor: Tensor;

  /** Starts empty; `span` may keep less than the tensor has room for. */
  constructor(state: AppendedStateDeclaration, span: CacheSpan) {
    this.#state = state;
    this.#span = span;
    const lengths = state.shape.map((length) => (length === "any" ? 0 : length));
    this.#outer = elementCount(lengths.slice(0, state.axis));
    this.#inner = elementCount(lengths.slice(state.axis + 1));
    this.#kept = this.#keptAfter(0);
    this.#tensor = this.#tensorOf(allocate(state.dtype, this.#outer * this.#places(this.#kept) * this.#inner));
  }

  /** What graphs are fed; the memory may change with the next append. */
  get tensor(): Tensor {
    return this.#tensor;
  }

  /** Entries that are valid. */
  get length(): number {
    return this.#kept.length;
  }

  /** Entries appended since the start. */
  get total(): number {
    return this.#kept.total;
  }

  /** Whether `entries` more would break the promise that everything is kept. */
  isCompleteBefore(entries: number): boolean {
    return this.#span.limit !== undefined && this.#kept.total + entries > this.#span.limit;
  }

  /** Whether each place holds an entry: 1 or 0. */
  mask(): number[] {
    const mask = new Array<number>(this.#places(this.#kept)).fill(0);
    for (const [slot] of this.#slots()) mask[slot] = 1;
    return mask;
  }

  /** The position of the entry at each place, counted from the start; 0 where there is none. */
  positions(): number[] {
    const positions = new Array<number>(this.#places(this.#kept)).fill(0);
    for (const [slot, position] of this.#slots()) positions[slot] = position;
    return positions;
  }

  /** Appends all entries that `added` has along the axis; cannot fail once the shapes have been compared. */
  append(added: Tensor): void {
    const count = added.shape[this.#state.axis] ?? 0;
    const before = this.#kept;
    const after = this.#keptAfter(before.total + count);
    const old = this.#tensor.data;
    const isSameMemory = this.#places(before) === this.#places(after);
    const data = isSameMemory ? old : allocate(this.#state.dtype, this.#outer * this.#places(after) * this.#inner);
    const move = (first: number, end: number): void => {
      if (end <= first) return;
      const from = this.#slot(first, before);
      const to = this.#slot(first, after);
      if (isSameMemory && from === to) return;
      this.#copy(
        { data: old, places: this.#places(before), from },
        { data, places: this.#places(after), to },
        end - first,
      );
    };
    // Within the same memory entries move to lower places only, so the lower ones go first.
    move(0, Math.min(before.sinkCount, after.sinkCount));
    move(after.windowStart, before.total);
    const put = (first: number, end: number): void => {
      for (let position = first; position < end;) {
        const run = this.#runFrom(position, end, after);
        const from = position - before.total;
        const to = this.#slot(position, after);
        this.#copy({ data: added.data, places: count, from }, { data, places: this.#places(after), to }, run);
        position += run;
      }
    };
    put(before.total, after.sinkCount);
    put(Math.max(before.total, after.windowStart), after.total);
    this.#kept = after;
    if (!isSameMemory) this.#tensor = this.#tensorOf(data);
  }

  /** A copy of the content. */
  content(): AppendedContent {
    return { total: this.#kept.total, data: this.#tensor.data.slice() };
  }

  /** Takes over a copy of `content`. Throws `invalid_value` when it has another size. */
  restore(content: AppendedContent): void {
    const kept = this.#keptAfter(content.total);
    const expected = this.#outer * this.#places(kept) * this.#inner;
    if (content.data.length !== expected) {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `snapshot of a cache: expected ${expected} elements, found ${content.data.length}`,
      );
    }
    this.#kept = kept;
    this.#tensor = this.#tensorOf(content.data.slice());
  }

  #keptAfter(total: number): Kept {
    const sinkCount = Math.min(this.#span.sink, total);
    const windowStart = Math.max(sinkCount, total - this.#span.window);
    return { total, sinkCount, windowStart, length: sinkCount + total - windowStart };
  }

  /** Places along the axis: all of the tensor, or just the valid ones where there is no padding. */
  #places(kept: Kept): number {
    return this.#state.padding === "none" ? kept.length : (this.#state.shape[this.#state.axis] as number);
  }

  #slot(position: number, kept: Kept): number {
    if (this.#state.align === "ring" && this.#state.padding === "zeros") {
      const { sink, window } = this.#span;
      return position < sink ? position : sink + ((position - sink) % window);
    }
    const index = position < kept.sinkCount ? position : kept.sinkCount + position - kept.windowStart;
    return this.#state.align === "end" ? this.#places(kept) - kept.length + index : index;
  }

  /** How many positions from `position` on lie side by side. */
  #runFrom(position: number, end: number, kept: Kept): number {
    const { sink, window } = this.#span;
    if (this.#state.align !== "ring" || position < sink) return end - position;
    return Math.min(end - position, sink + window - this.#slot(position, kept));
  }

  *#slots(): Generator<[slot: number, position: number]> {
    const { sinkCount, windowStart, total } = this.#kept;
    for (let position = 0; position < sinkCount; position += 1) yield [this.#slot(position, this.#kept), position];
    for (let position = windowStart; position < total; position += 1)
      yield [this.#slot(position, this.#kept), position];
  }

  #copy(
    source: { readonly data: TensorData; readonly places: number; readonly from: number },
    target: { readonly data: TensorData; readonly places: number; readonly to: number },
    count: number,
  ): void {
    for (let stretch = 0; stretch < this.#outer; stretch += 1) {
      const start = (stretch * source.places + source.from) * this.#inner;
      const at = (stretch * target.places + target.to) * this.#inner;
      copyElements(source.data, start, target.data, at, count * this.#inner);
    }
  }

  #tensorOf(data: TensorData): Tensor {
    const { dtype, shape, axis } = this.#state;
    const length = data.length === 0 ? 0 : data.length / (this.#outer * this.#inner);
    return { dtype, shape: shape.map((each, index) => (index === axis ? length : (each as number))), data };
  }
}

function copyElements(source: TensorData, start: number, target: TensorData, at: number, count: number): void {
  if (source === target) {
    target.copyWithin(at, start, start + count);
  } else if (source instanceof BigInt64Array && target instanceof BigInt64Array) {
    target.set(source.subarray(start, start + count), at);
  } else {
    (target as Float32Array).set((source as Float32Array).subarray(start, start + count), at);
  }
}
