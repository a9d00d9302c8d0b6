import {
  DreamloopError,
  ERROR_CODES,
  frameRgb8,
  sessionDescription,
  stepResult,
  type CloseOptions,
  type OutputArtifact,
  type OutputTarget,
  type SessionDescription,
  type StepResult,
  type VideoChunk,
} from "@dreamloop/core";
import { FrameTimeline } from "./frame-timeline.ts";

/** One frame on its way into a file. */
export interface TargetFrame {
  /** Packed full-range RGB8, row by row; valid until the sink's `write` settles. */
  readonly rgb: Uint8Array;
  /** Number of the frame among those that this target took, from 0. */
  readonly frameNumber: number;
  /** When it is shown, in ticks of `VIDEO_TICKS_PER_SECOND`; strictly rising, the first is 0. */
  readonly ticks: number;
}

/** What a run gave, for the artifact. */
export interface RunSummary {
  /** Frames that were written. */
  readonly frameCount: number;
  /** Frames that were dropped before they reached the target. */
  readonly droppedFrames: number;
}

/** One run of one target: takes frames in order, one after the other, and ends either finished or discarded. */
export interface FrameSink {
  /** Takes one frame; waiting for it is the back-pressure. */
  write(frame: TargetFrame): Promise<void>;
  /** Called once for each result after its frames, for targets that keep more than pixels. */
  afterResult?(result: StepResult): Promise<void>;
  /** Completes what was made. */
  finish(summary: RunSummary): Promise<readonly OutputArtifact[]>;
  /** Ends after a fault: what was written is removed, or left in a valid state. Must not throw. */
  discard(): Promise<void>;
}

interface Run {
  readonly timeline: FrameTimeline;
  readonly sink: FrameSink;
  readonly description: SessionDescription;
  /** Settles when everything handed in so far is written; never rejects. */
  tail: Promise<void>;
  frameCount: number;
  /** The first fault of the run; every later write meets the same. */
  fault: { readonly error: unknown } | undefined;
  /** Memory for frames that have to be converted; reused, since frames are written one after the other. */
  scratch: Uint8Array | undefined;
}

type TargetState =
  | { readonly state: "closed"; readonly artifacts: Promise<readonly OutputArtifact[]> }
  | { readonly state: "opening" }
  | { readonly state: "open"; readonly run: Run };

/**
 * The life cycle that all targets of this package share: closed, open, closed, and again. Results are written in the order in which
 * they came, also when the caller does not wait. After a fault every further write is refused with the same error, and `close`
 * tidies up and gives no artifact. Frames must have the size that the description names.
 */
export abstract class FrameTarget implements OutputTarget {
  /** Name of the target in errors and artifacts, such as `mp4`. */
  abstract readonly name: string;
  #state: TargetState = { state: "closed", artifacts: Promise.resolve(Object.freeze([])) };

  /** Starts a run. */
  protected abstract start(description: SessionDescription): Promise<FrameSink>;

  /** Whether it takes results. */
  get isOpen(): boolean {
    return this.#state.state === "open";
  }

  /** Prepares for a run; refused with `invalid_state` while one is open, and with `output_failed` when nothing can be written there. */
  async open(description: SessionDescription): Promise<void> {
    const described = sessionDescription(description);
    const before = this.#state;
    if (before.state !== "closed") {
      throw new DreamloopError(ERROR_CODES.invalidState, `${this.name} target: already open; close it first`);
    }
    this.#state = { state: "opening" };
    try {
      // A run that is still being finished keeps its files until it has ended, well or not.
      await before.artifacts.catch(() => undefined);
      const run: Run = {
        timeline: new FrameTimeline(described),
        sink: await this.start(described),
        description: described,
        tail: Promise.resolve(),
        frameCount: 0,
        fault: undefined,
        scratch: undefined,
      };
      this.#state = { state: "open", run };
    } catch (error) {
      this.#state = { state: "closed", artifacts: Promise.resolve(Object.freeze([])) };
      throw error;
    }
  }

  /** Takes one result; resolves when its memory is no longer needed and the target is ready for more. */
  async write(result: StepResult): Promise<void> {
    const checked = stepResult(result);
    if (this.#state.state !== "open") {
      throw new DreamloopError(ERROR_CODES.closed, `${this.name} target: write while closed; call open first`);
    }
    const { run } = this.#state;
    const written = run.tail.then(async () => {
      if (run.fault !== undefined) throw run.fault.error;
      try {
        await this.#writeResult(run, checked);
      } catch (error) {
        run.fault = { error };
        throw error;
      }
    });
    run.tail = written.catch(() => undefined);
    await written;
  }

  /**
   * Waits for what was handed in, completes the files and says what was made; idempotent, with the same promise. After a fault it
   * tidies up and gives nothing, since the write that met the fault has reported it.
   */
  close(options: CloseOptions = {}): Promise<readonly OutputArtifact[]> {
    const current = this.#state;
    if (current.state === "closed") return current.artifacts;
    const artifacts =
      current.state === "open" ? this.#end(current.run, options) : Promise.reject(closeWhileOpening(this.name));
    if (current.state === "open") this.#state = { state: "closed", artifacts };
    return artifacts;
  }

  /** Closes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #writeResult(run: Run, result: StepResult): Promise<void> {
    const { output } = result;
    const { width, height } = run.description;
    if (output !== undefined && (output.width !== width || output.height !== height)) {
      throw new DreamloopError(
        ERROR_CODES.outputFailed,
        `${this.name} target: the session was described as ${width}×${height}, but step ${result.stepIndex} gave ${output.width}×${output.height}; describe the size that the world delivers`,
      );
    }
    const first = run.timeline.place(result);
    if (output !== undefined) {
      run.scratch ??= isViewable(output) ? undefined : new Uint8Array(width * height * 3);
      for (let index = 0; index < output.frameCount; index += 1) {
        await run.sink.write({
          rgb: run.scratch === undefined ? frameRgb8(output, index) : frameRgb8(output, index, run.scratch),
          frameNumber: run.frameCount,
          ticks: run.timeline.ticks(first + index),
        });
        run.frameCount += 1;
      }
    }
    await run.sink.afterResult?.(result);
  }

  async #end(run: Run, options: CloseOptions): Promise<readonly OutputArtifact[]> {
    await run.tail;
    if (run.fault !== undefined) {
      await run.sink.discard();
      return Object.freeze([]);
    }
    try {
      const summary = { frameCount: run.frameCount, droppedFrames: options.droppedFrames ?? 0 };
      return Object.freeze([...(await run.sink.finish(summary))]);
    } catch (error) {
      await run.sink.discard();
      throw error;
    }
  }
}

/** Whether `frameRgb8` gives a view of the chunk's own memory. */
function isViewable(chunk: VideoChunk): boolean {
  return chunk.format === "rgb8" && chunk.layout === "thwc" && chunk.range === "full";
}

function closeWhileOpening(name: string): DreamloopError {
  return new DreamloopError(
    ERROR_CODES.invalidState,
    `${name} target: close before open has ended; wait for open first`,
  );
}
