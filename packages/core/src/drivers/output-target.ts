import type { SessionDescription } from "../model/session-description.ts";
import type { StepResult } from "../model/step-result.ts";
import { listOf, mapping, text, withDefault, type Mapping } from "../foundation/validate/reader.ts";
import { recordFactory } from "../foundation/validate/record.ts";

/** Something that an output target made: a file, a folder, a stream. */
export interface OutputArtifact {
  /** What it is, such as `video/mp4`; not blank. */
  readonly kind: string;
  /** Where it is; not blank. */
  readonly uri: string;
  /** Further facts: frame count, dropped frames, size. */
  readonly metadata: Mapping;
}

/** What the factory of `OutputArtifact` takes. */
export type OutputArtifactInput = Partial<OutputArtifact> & Pick<OutputArtifact, "kind" | "uri">;

const make = recordFactory<OutputArtifact>("OutputArtifact", {
  kind: text({ maxLength: 200 }),
  uri: text({ maxLength: 8192 }),
  metadata: withDefault(mapping, Object.freeze({})),
});

/** Makes an `OutputArtifact`; a blank kind or uri is refused. */
export function outputArtifact(input: OutputArtifactInput): OutputArtifact {
  return make(input);
}

/** Reads what a target or sink made, as `where` returned it. */
export function readArtifacts(given: unknown, where: string): readonly OutputArtifact[] {
  return listOf((artifact) => outputArtifact(artifact as OutputArtifactInput))(given, where);
}

/** How a run ended, told to targets so that they finish or discard what they have. */
export interface CloseOptions {
  /** Frames that the driver dropped before this target because it was too slow; goes into the artifact's metadata. */
  readonly droppedFrames?: number;
}

/**
 * Where results go. `write`'s promise is the back-pressure: until it settles the target may read `result.output.data`,
 * afterwards it must not. In batch the driver awaits it; in realtime the driver never waits and drops with counts.
 */
export interface OutputTarget {
  /** Prepares for a run with this description. */
  open(description: SessionDescription): void | Promise<void>;
  /** Takes one result. */
  write(result: StepResult): void | Promise<void>;
  /** Finishes and says what was made; idempotent. */
  close(options?: CloseOptions): readonly OutputArtifact[] | Promise<readonly OutputArtifact[]>;
}
