import { stat } from "node:fs/promises";
import {
  RecordingQueue,
  stepResult,
  type OutputArtifact,
  type SessionDescription,
  type StepResult,
} from "@dreamloop/core";
import { Mp4OutputTarget, type VideoEncoderBackend } from "@dreamloop/outputs";
import type { RecordedVideo } from "../media-messages.ts";

/**
 * One recording of a live session. Chunks are copied, so that a slow encoder holds no memory that the world needs; what does not fit is
 * left out and counted.
 */
export class RecordingSink {
  readonly #path: string;
  readonly #queue: RecordingQueue;

  private constructor(path: string, queue: RecordingQueue) {
    this.#path = path;
    this.#queue = queue;
  }

  /** Begins the file. Throws `output_failed`. */
  static async open(options: {
    readonly path: string;
    readonly description: SessionDescription;
    readonly backend: VideoEncoderBackend;
    readonly onError: (error: unknown) => void;
  }): Promise<RecordingSink> {
    const { path, description, backend, onError } = options;
    const queue = new RecordingQueue(new Mp4OutputTarget({ path, encoder: backend }), { onError });
    await queue.open(description);
    return new RecordingSink(path, queue);
  }

  /** Takes a copy of a chunk. */
  push(result: StepResult, firstDueSeconds: number): void {
    const { output } = result;
    if (output === undefined) return;
    const { release: _release, ...chunk } = output;
    const copy = stepResult({ ...result, output: { ...chunk, data: chunk.data.slice() } });
    this.#queue.push(copy, firstDueSeconds, () => undefined);
  }

  /** Completes the file. */
  async close(): Promise<RecordedVideo> {
    const [artifact]: readonly OutputArtifact[] = await this.#queue.close();
    const droppedFrames = this.#queue.droppedFrames;
    if (artifact === undefined) return { frameCount: 0, droppedFrames, bytes: 0 };
    const { size } = await stat(this.#path);
    return { frameCount: artifact.metadata.frameCount as number, droppedFrames, bytes: size };
  }
}
