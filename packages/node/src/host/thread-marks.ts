import type { WorkerStart } from "./messages.ts";

/** Places in the memory that a host and its worker share. */
const HAS_NATIVE_CODE = 0;
const IS_ENDING = 1;
const BEATS = 2;
const CELLS = 3;

/** How often a thread beats, in milliseconds: often enough for the shortest limit on its silence. */
const BEAT_MILLISECONDS = 250;

/**
 * What a host and its worker know of each other at any moment, also while the worker's thread is held by a call. Ending a thread from outside is
 * safe only while JavaScript runs in it: native add-ons find their calls refused on the way back, and then end the whole process (seen with
 * onnxruntime-node: an uncaught `Napi::Error`). So a thread says when it loads such code, and loads none once its end has begun.
 */
export class ThreadMarks {
  /** The memory, to be given to the worker as `WorkerStart.marks`. */
  readonly memory: WorkerStart["marks"];
  readonly #cells: Int32Array;

  /** New memory, or that of the other side. */
  constructor(memory: WorkerStart["marks"] = new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cells = new Int32Array(memory);
  }

  /** In the worker: native code is about to be loaded; false when the thread is being ended and must not load any. */
  noteNativeCode(): boolean {
    Atomics.store(this.#cells, HAS_NATIVE_CODE, 1);
    return Atomics.load(this.#cells, IS_ENDING) === 0;
  }

  /** In the host: whether the thread may be ended from outside. After that it loads no native code any more. */
  mayTerminate(): boolean {
    Atomics.store(this.#cells, IS_ENDING, 1);
    return Atomics.load(this.#cells, HAS_NATIVE_CODE) === 0;
  }

  /** In the worker: beats from now on, as long as its event loop turns. */
  beat(): void {
    setInterval(() => Atomics.add(this.#cells, BEATS, 1), BEAT_MILLISECONDS).unref();
  }

  /** In the host: how often the thread has beaten. */
  get beats(): number {
    return Atomics.load(this.#cells, BEATS);
  }
}
