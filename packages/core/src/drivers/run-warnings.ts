import { CONSTANT_FRAMES, FRAME_WARNINGS, type FrameWarning } from "../model/frame-check.ts";
import type { Mapping } from "../foundation/validate/reader.ts";

/** Something odd that does not stop the run. */
export interface RunWarning {
  /** A stable name: a frame warning, `update_refused`, `observer_failed`, `output_failed`, `mapping_dropped`, `prompt_words`, `moment_environment`. */
  readonly kind: string;
  /** For people. */
  readonly message: string;
  /** The step it belongs to, over all generations. */
  readonly stepNumber?: number;
  /** Facts for programs: of `prompt_words` the `input` with its `knownWords`, `unknownWords` and `cutWords`, and whether it was `applied`. */
  readonly details?: Mapping;
}

/** Counts warnings by kind and passes them on. */
export class WarningCounter {
  /** Occurrences by kind. */
  readonly counts: Record<string, number> = {};
  readonly #tell: ((warning: RunWarning) => void) | undefined;

  /** `tell` hears of every warning. */
  constructor(tell: ((warning: RunWarning) => void) | undefined) {
    this.#tell = tell;
  }

  /** Counts one warning. */
  warn(warning: RunWarning): void {
    this.counts[warning.kind] = (this.counts[warning.kind] ?? 0) + 1;
    this.#tell?.(warning);
  }
}

/** What the author of a world is told of odd frames. */
export const FRAME_WARNING_TEXTS: Readonly<Record<FrameWarning, string>> = {
  [FRAME_WARNINGS.constant]: `frames look odd: ${CONSTANT_FRAMES} in a row had one and the same value everywhere; fine for a world at rest, else the model gives nothing`,
  [FRAME_WARNINGS.meanOutOfBand]:
    "a frame looks odd: its mean lies outside of its range (mean out of band); compare the declared range with the values",
  [FRAME_WARNINGS.varianceOutOfBand]:
    "a frame looks odd: its values vary more than its range allows (variance out of band); compare the declared range with the values",
};
