import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-request.ts";
import type { OutputArtifact } from "../outputs/output-target.ts";
import type { FrameLease } from "../rollout/frame-lease.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import { Cleanup } from "./cleanup.ts";
import { refuseSecondPacer } from "./run-setup.ts";

/** The sinks of a live run: opened when they join, each holding its own share of a chunk, closed in reverse order. */
export class SinkSet {
  readonly #sinks = new Set<ChunkSink>();

  /** Opens a sink and adds it; refused when it paces by its own clock. */
  async add(sink: ChunkSink, description: SessionDescription): Promise<void> {
    if (sink.ownsPacing === true) refuseSecondPacer("an output");
    await sink.open(description);
    this.#sinks.add(sink);
  }

  /** Takes a sink out and closes it; gives what it made. */
  async remove(sink: ChunkSink): Promise<readonly OutputArtifact[]> {
    return this.#sinks.delete(sink) ? sink.close() : [];
  }

  /** Hands a chunk to every sink. */
  push(result: StepResult, firstDueSeconds: number, lease: FrameLease): void {
    for (const sink of this.#sinks) sink.push(result, firstDueSeconds, lease.hold());
  }

  /** Tells every sink that older generations are void. */
  beginGeneration(generation: number): void {
    for (const sink of this.#sinks) sink.beginGeneration?.(generation);
  }

  /** Closes all and gives what they made, in the order in which they joined. */
  async close(): Promise<readonly OutputArtifact[]> {
    const made: (readonly OutputArtifact[])[] = [];
    const closing = new Cleanup();
    for (const sink of this.#sinks) closing.add(async () => made.unshift(await sink.close()));
    this.#sinks.clear();
    await closing.run();
    closing.raise();
    return made.flat();
  }
}
