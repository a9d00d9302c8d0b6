import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-result.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import { outputArtifact, type OutputArtifact, type OutputTarget } from "./output-target.ts";

/** Results that may wait for a recording target, default: enough for half a second of one-frame steps at 30 frames/s. */
export const DEFAULT_RECORDING_CAPACITY = 16;

interface Queued {
  readonly result: StepResult;
  readonly release: () => void;
}

/**
 * Between the realtime driver and a recording target (a file): bounded, in order, never waits. When full, the newest result is dropped,
 * so that the file stays without jumps for as long as it can, and counted; the count goes into the artifact's metadata.
 */
export class RecordingQueue implements ChunkSink {
  readonly #target: OutputTarget;
  readonly #capacity: number;
  readonly #onError: (error: unknown) => void;
  readonly #queue: Queued[] = [];
  #running: Promise<void> | undefined;
  #droppedFrames = 0;
  #failed = false;

  /** `capacity` counts results; `onError` hears of a target that refuses a write, which then gets no more. */
  constructor(
    target: OutputTarget,
    options: { readonly capacity?: number; readonly onError: (error: unknown) => void },
  ) {
    this.#target = target;
    this.#capacity = options.capacity ?? DEFAULT_RECORDING_CAPACITY;
    this.#onError = options.onError;
  }

  /** Frames that were dropped because the target was too slow or had failed. */
  get droppedFrames(): number {
    return this.#droppedFrames;
  }

  /** Opens the target. */
  async open(description: SessionDescription): Promise<void> {
    await this.#target.open(description);
  }

  /** Takes a result or drops it; `release` is called when its pixels are no longer read. */
  push(result: StepResult, _firstDueSeconds: number, release: () => void): void {
    if (this.#failed || this.#queue.length >= this.#capacity) {
      this.#droppedFrames += result.frameCount;
      release();
      return;
    }
    this.#queue.push({ result, release });
    this.#running ??= this.#run();
  }

  /** Writes what is waiting, then closes the target. */
  async close(): Promise<readonly OutputArtifact[]> {
    await this.#running;
    const artifacts = await this.#target.close({ droppedFrames: this.#droppedFrames });
    return artifacts.map((artifact) =>
      outputArtifact({ ...artifact, metadata: { ...artifact.metadata, droppedFrames: this.#droppedFrames } }),
    );
  }

  async #run(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        if (this.#failed) this.#droppedFrames += next.result.frameCount;
        else await this.#target.write(next.result);
      } catch (error) {
        this.#failed = true;
        this.#droppedFrames += next.result.frameCount;
        this.#onError(error);
      } finally {
        next.release();
      }
    }
    this.#running = undefined;
  }
}
