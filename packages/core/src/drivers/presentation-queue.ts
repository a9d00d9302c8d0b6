import { finite } from "../foundation/validate/reader.ts";

/** A chunk with its schedule. */
export interface ScheduledChunk<T> {
  /** What is presented; the queue does not look into it. */
  readonly chunk: T;
  /** Frames of it. */
  readonly frameCount: number;
  /** When the first frame is due, in seconds of the presenter's clock. */
  readonly firstDueSeconds: number;
  /** Resets before it. */
  readonly generation: number;
}

/** One frame that is due. */
export interface DueFrame<T> {
  /** The chunk it belongs to. */
  readonly chunk: T;
  /** Its index within the chunk. */
  readonly frameIndex: number;
  /** When it was due. */
  readonly dueSeconds: number;
  /** Whether it is the chunk's last. */
  readonly last: boolean;
}

/** Frames that were not shown, by reason. */
export interface PresentationDrops {
  /** A newer chunk replaced the waiting one. */
  readonly replaced: number;
  /** The consumer was too slow: more frames were due than may wait. */
  readonly overdue: number;
  /** They belonged to an older generation. */
  readonly generation: number;
}

/**
 * Between model and encoder: one active chunk and one waiting chunk; a new one replaces the waiting one. Frames leave the active chunk in
 * order at their due times. At most `maxDueFrames` due frames wait for the consumer; the oldest is dropped. Pure: time is an argument.
 */
export class PresentationQueue<T> {
  readonly #framesPerSecond: number;
  readonly #maxDueFrames: number;
  readonly #onDone: (chunk: T) => void;
  #active: ScheduledChunk<T> | undefined;
  #nextFrame = 0;
  #waiting: ScheduledChunk<T> | undefined;
  #due: DueFrame<T>[] = [];
  /** Frames that the consumer reads. */
  readonly #taken = new Set<DueFrame<T>>();
  /** Chunks that the queue needs no longer but of which a frame is still read. */
  readonly #ended = new Set<T>();
  #generation = 0;
  #replaced = 0;
  #overdue = 0;
  #oldGeneration = 0;

  /** `onDone` is called once for each chunk when the queue no longer needs it; `maxDueFrames` default 2. */
  constructor(options: {
    readonly framesPerSecond: number;
    readonly maxDueFrames?: number;
    readonly onDone?: (chunk: T) => void;
  }) {
    this.#framesPerSecond = finite({ min: 0, aboveMin: true })(
      options.framesPerSecond,
      "PresentationQueue.framesPerSecond",
    );
    this.#maxDueFrames = finite({ integer: true, min: 1 })(options.maxDueFrames ?? 2, "PresentationQueue.maxDueFrames");
    this.#onDone = options.onDone ?? (() => undefined);
  }

  /** Frames dropped so far, by reason. */
  get drops(): PresentationDrops {
    return { replaced: this.#replaced, overdue: this.#overdue, generation: this.#oldGeneration };
  }

  /** Adds a chunk; one of an older generation is dropped at once. */
  push(scheduled: ScheduledChunk<T>): void {
    if (scheduled.generation < this.#generation) {
      this.#oldGeneration += scheduled.frameCount;
      this.#end(scheduled.chunk);
      return;
    }
    this.beginGeneration(scheduled.generation);
    if (this.#active === undefined) {
      this.#activate(scheduled);
      return;
    }
    if (this.#waiting !== undefined) {
      this.#replaced += this.#waiting.frameCount;
      this.#end(this.#waiting.chunk);
    }
    this.#waiting = scheduled;
  }

  /** Drops everything of generations before `generation`. */
  beginGeneration(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#oldGeneration += this.#due.length;
    for (const frame of this.#due) if (frame.last) this.#end(frame.chunk);
    this.#due = [];
    if (this.#active !== undefined) {
      this.#oldGeneration += this.#active.frameCount - this.#nextFrame;
      this.#end(this.#active.chunk);
    }
    if (this.#waiting !== undefined) {
      this.#oldGeneration += this.#waiting.frameCount;
      this.#end(this.#waiting.chunk);
    }
    this.#active = undefined;
    this.#waiting = undefined;
  }

  /** When the next frame becomes due, or `undefined` when there is none. */
  get nextDueSeconds(): number | undefined {
    return this.#active === undefined ? undefined : this.#dueOf(this.#active, this.#nextFrame);
  }

  /** Moves every frame that is due at `nowSeconds` to where the consumer takes it. */
  advance(nowSeconds: number): void {
    while (this.#active !== undefined) {
      const dueSeconds = this.#dueOf(this.#active, this.#nextFrame);
      if (dueSeconds > nowSeconds + DUE_TOLERANCE_SECONDS) return;
      const { chunk, frameCount } = this.#active;
      const last = this.#nextFrame === frameCount - 1;
      this.#due.push({ chunk, frameIndex: this.#nextFrame, dueSeconds, last });
      this.#nextFrame += 1;
      if (last) {
        const next = this.#waiting;
        this.#active = undefined;
        this.#waiting = undefined;
        if (next !== undefined) this.#activate(next);
      }
      while (this.#due.length > this.#maxDueFrames) this.#dropOldestDue();
    }
  }

  /** Takes the oldest due frame. The caller says `done` with each when its pixels are no longer read. */
  take(): DueFrame<T> | undefined {
    const frame = this.#due.shift();
    if (frame !== undefined) this.#taken.add(frame);
    return frame;
  }

  /** Tells that the consumer is done with a frame that `take` gave. */
  done(frame: DueFrame<T>): void {
    this.#taken.delete(frame);
    if (frame.last) this.#end(frame.chunk);
    else if (this.#ended.has(frame.chunk) && !this.#isRead(frame.chunk)) {
      this.#ended.delete(frame.chunk);
      this.#onDone(frame.chunk);
    }
  }

  /** The queue has no more use for a chunk. While a frame of it is still read, its end waits for that frame's `done`. */
  #end(chunk: T): void {
    if (this.#isRead(chunk)) this.#ended.add(chunk);
    else {
      this.#ended.delete(chunk);
      this.#onDone(chunk);
    }
  }

  #isRead(chunk: T): boolean {
    for (const frame of this.#taken) if (frame.chunk === chunk) return true;
    return false;
  }

  #activate(scheduled: ScheduledChunk<T>): void {
    this.#active = scheduled;
    this.#nextFrame = 0;
  }

  #dueOf(scheduled: ScheduledChunk<T>, frameIndex: number): number {
    return scheduled.firstDueSeconds + frameIndex / this.#framesPerSecond;
  }

  #dropOldestDue(): void {
    const dropped = this.#due.shift();
    if (dropped === undefined) return;
    this.#overdue += 1;
    this.done(dropped);
  }
}

/** Sums of frame intervals in floating point may miss a due time by a few ulp. */
const DUE_TOLERANCE_SECONDS = 1e-9;
