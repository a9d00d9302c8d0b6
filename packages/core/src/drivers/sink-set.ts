import { DreamloopError, errorText, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-result.ts";
import type { Waits } from "../foundation/time/wait-guard.ts";
import { readArtifacts, type OutputArtifact } from "./output-target.ts";
import type { FrameLease } from "../rollout/frame-lease.ts";
import type { ChunkSink } from "./chunk-sink.ts";
import { Cleanup } from "./cleanup.ts";
import type { RunWarning } from "./run-warnings.ts";
import { refuseSecondPacer } from "./pacer.ts";

/** The sinks of a live run: opened when they join, each holding its own share of a chunk, closed in reverse order. */
export class SinkSet {
  readonly #sinks = new Set<ChunkSink>();
  readonly #failed = new Set<ChunkSink>();
  readonly #warn: (warning: RunWarning) => void;
  readonly #waits: Waits;
  #closed = false;

  /** `warn` hears of sinks that threw. */
  constructor(warn: (warning: RunWarning) => void, waits: Waits) {
    this.#warn = warn;
    this.#waits = waits;
  }

  /** Opens a sink and adds it; refused when it paces by its own clock. A sink that was still opening when the run ended is closed again. */
  async add(sink: ChunkSink, description: SessionDescription): Promise<void> {
    if (sink.ownsPacing === true) refuseSecondPacer("an output");
    await this.#waits.wait(
      {
        what: "the opening of an output",
        kind: "output",
        free: () => sink.close(),
      },
      () => sink.open(description),
    );
    if (this.#closed) {
      await this.#close(sink);
      throw new DreamloopError(ERROR_CODES.invalidState, "RealtimeRun.addOutput: the session ended meanwhile");
    }
    this.#sinks.add(sink);
  }

  /** Takes a sink out and closes it; gives what it made. */
  async remove(sink: ChunkSink): Promise<readonly OutputArtifact[]> {
    this.#failed.delete(sink);
    return this.#sinks.delete(sink) ? this.#close(sink) : [];
  }

  /** Hands a chunk to every sink. One that throws gets no more, with a warning; the run and the other sinks go on. */
  push(result: StepResult, firstDueSeconds: number, lease: FrameLease): void {
    for (const sink of this.#sinks) {
      if (this.#failed.has(sink)) continue;
      const release = lease.hold();
      try {
        sink.push(result, firstDueSeconds, release);
      } catch (error) {
        release();
        this.#fail(sink, error);
      }
    }
  }

  /** Tells every sink that older generations are void. */
  beginGeneration(generation: number): void {
    for (const sink of this.#sinks) {
      if (this.#failed.has(sink)) continue;
      try {
        sink.beginGeneration?.(generation);
      } catch (error) {
        this.#fail(sink, error);
      }
    }
  }

  /** Closes all and gives what they made, in the order in which they joined. */
  async close(): Promise<readonly OutputArtifact[]> {
    const made: (readonly OutputArtifact[])[] = [];
    const closing = new Cleanup();
    for (const sink of this.#sinks) closing.add(async () => made.unshift(await this.#close(sink)));
    this.#sinks.clear();
    this.#closed = true;
    await closing.run();
    closing.raise();
    return made.flat();
  }

  async #close(sink: ChunkSink): Promise<readonly OutputArtifact[]> {
    const made = await this.#waits.wait({ what: "the close of an output", kind: "output" }, () => sink.close());
    return readArtifacts(made, "ChunkSink.close()");
  }

  #fail(sink: ChunkSink, error: unknown): void {
    this.#failed.add(sink);
    this.#warn({ kind: "output_failed", message: `an output gets no more frames, as it threw: ${errorText(error)}` });
  }
}
