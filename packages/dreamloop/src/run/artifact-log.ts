import type { CloseOptions, OutputArtifact, OutputTarget, SessionDescription, StepResult } from "@dreamloop/core";

/** A target that remembers what it made, also when the run that closed it ended with an error. */
export class ArtifactLog implements OutputTarget {
  readonly #target: OutputTarget;
  readonly #onOpened: () => void;
  #artifacts: readonly OutputArtifact[] = [];

  /** Passes everything on to `target`; `onOpened` hears when it is ready for the first frame. */
  constructor(target: OutputTarget, onOpened: () => void = () => undefined) {
    this.#target = target;
    this.#onOpened = onOpened;
  }

  /** What was made; empty before `close`. */
  get artifacts(): readonly OutputArtifact[] {
    return this.#artifacts;
  }

  /** Opens the target. */
  async open(description: SessionDescription): Promise<void> {
    await this.#target.open(description);
    this.#onOpened();
  }

  /** Hands the result on. */
  write(result: StepResult): void | Promise<void> {
    return this.#target.write(result);
  }

  /** Closes the target and remembers what it made. */
  async close(options?: CloseOptions): Promise<readonly OutputArtifact[]> {
    this.#artifacts = await this.#target.close(options);
    return this.#artifacts;
  }
}
