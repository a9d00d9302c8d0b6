import { sliceFrames } from "../model/frame-pixels.ts";
import type { SessionDescription } from "../model/session-description.ts";
import { stepResult, type StepResult } from "../model/step-result.ts";
import type { OutputArtifact, OutputTarget } from "./output-target.ts";
import type { Clock } from "../foundation/time/clock.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import { PresentationQueue, type PresentationDrops } from "./presentation-queue.ts";

/** What the presenter takes. */
export interface LivePresenterOptions {
  /** The clock in whose seconds due times are given. */
  readonly clock: Clock;
  /** Gets each frame at its time, as a result with one frame; slow writes lose the oldest due frames, never hold up anything. */
  readonly target: OutputTarget;
  /** Due frames that may wait for the target; default 2. */
  readonly maxDueFrames?: number;
  /** Told when the target refuses a frame; the presenter stops then. */
  readonly onError?: (error: unknown) => void;
}

interface Held {
  readonly result: StepResult;
  readonly release: () => void;
}

/**
 * Presents chunks frame by frame at their due times to one live target: the shell of timers around a `PresentationQueue`. It runs wherever
 * the target is; the driver only hands over chunks with their schedule.
 */
export class LivePresenter implements ChunkSink {
  readonly #options: LivePresenterOptions;
  #queue: PresentationQueue<Held> | undefined;
  #timerFor: number | undefined;
  #wake = new AbortController();
  #writing = false;
  #closed = false;
  #failed = false;
  #presentedCount = 0;
  #idle: Promise<void> = Promise.resolve();

  /** Times and target come in through the options. */
  constructor(options: LivePresenterOptions) {
    this.#options = options;
  }

  /** Frames handed to the target. */
  get presentedCount(): number {
    return this.#presentedCount;
  }

  /** Frames that were not shown, by reason. */
  get drops(): PresentationDrops {
    return this.#queue?.drops ?? { replaced: 0, overdue: 0, generation: 0 };
  }

  /** Opens the target; frames are spread at the description's rate. */
  async open(description: SessionDescription): Promise<void> {
    this.#queue = new PresentationQueue({
      framesPerSecond: description.framesPerSecond,
      maxDueFrames: this.#options.maxDueFrames,
      onDone: (held) => held.release(),
    });
    await this.#options.target.open({ ...description, framesPerStep: 1, firstStepFrames: 1 });
  }

  /** Takes a chunk whose first frame is due at `firstDueSeconds`; `release` is called when its pixels are no longer read. */
  push(result: StepResult, firstDueSeconds: number, release: () => void): void {
    if (this.#closed || this.#failed || this.#queue === undefined || result.output === undefined) {
      release();
      return;
    }
    const { frameCount, generation } = result;
    this.#queue.push({ chunk: { result, release }, frameCount, firstDueSeconds, generation });
    this.#pump();
  }

  /** Drops everything of generations before `generation`. */
  beginGeneration(generation: number): void {
    this.#queue?.beginGeneration(generation);
  }

  /** Stops presenting, drops what is left and closes the target. */
  async close(): Promise<readonly OutputArtifact[]> {
    if (!this.#closed) {
      this.#closed = true;
      this.#wake.abort();
      this.#queue?.beginGeneration(Number.MAX_SAFE_INTEGER);
    }
    await this.#idle;
    const { replaced, overdue } = this.drops;
    return this.#options.target.close({ droppedFrames: replaced + overdue });
  }

  #pump(): void {
    if (this.#closed || this.#failed || this.#queue === undefined) return;
    this.#queue.advance(this.#options.clock.nowSeconds());
    if (!this.#writing) {
      const frame = this.#queue.take();
      if (frame !== undefined) {
        this.#writing = true;
        this.#idle = this.#present(frame, this.#queue);
      }
    }
    this.#setTimer();
  }

  #setTimer(): void {
    const due = this.#queue?.nextDueSeconds;
    if (due === undefined || this.#timerFor === due) return;
    this.#timerFor = due;
    this.#wake.abort();
    this.#wake = new AbortController();
    const { signal } = this.#wake;
    void this.#options.clock.sleepUntil(due, signal).then(() => {
      if (signal.aborted) return;
      this.#timerFor = undefined;
      this.#pump();
    });
  }

  async #present(
    frame: NonNullable<ReturnType<PresentationQueue<Held>["take"]>>,
    queue: PresentationQueue<Held>,
  ): Promise<void> {
    const { result } = frame.chunk;
    try {
      if (result.output !== undefined) {
        await this.#options.target.write(
          stepResult({
            ...result,
            output: sliceFrames(result.output, frame.frameIndex, 1),
            frameCount: 1,
            metadata: { ...result.metadata, frameInStep: frame.frameIndex, dueSeconds: frame.dueSeconds },
          }),
        );
        this.#presentedCount += 1;
      }
    } catch (error) {
      this.#failed = true;
      this.#wake.abort();
      this.#options.onError?.(error);
    } finally {
      queue.done(frame);
      if (this.#failed) queue.beginGeneration(Number.MAX_SAFE_INTEGER);
      this.#writing = false;
    }
    this.#pump();
  }
}
