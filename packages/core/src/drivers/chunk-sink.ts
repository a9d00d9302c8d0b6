import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-result.ts";
import type { OutputArtifact } from "./output-target.ts";

/** Where the realtime driver puts chunks. It never waits for one: a sink has bounded room and drops with counts. */
export interface ChunkSink {
  /** A sink that paces by its own clock says so, and is refused: the driver's pacer alone owns the cadence. */
  readonly ownsPacing?: boolean;
  /** Prepares for a session. */
  open(description: SessionDescription): void | Promise<void>;
  /** Takes a chunk whose first frame is due at `firstDueSeconds` of the driver's clock; `release` is called when its pixels are no longer read. */
  push(result: StepResult, firstDueSeconds: number, release: () => void): void;
  /** Drops what belongs to generations before `generation`; absent for sinks that keep everything, such as recordings. */
  beginGeneration?(generation: number): void;
  /** Ends and says what was made; idempotent. */
  close(): readonly OutputArtifact[] | Promise<readonly OutputArtifact[]>;
}
