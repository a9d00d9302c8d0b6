import {
  DreamloopError,
  ERROR_CODES,
  type CloseOptions,
  type OutputArtifact,
  type OutputTarget,
  type SessionDescription,
  type StepResult,
} from "@dreamloop/core";
import { errorToRecord } from "@dreamloop/core/internal";

/** One of several targets, with the name by which its faults are reported. */
export interface NamedTarget {
  /** Name, such as the file's. */
  readonly name: string;
  /** The target. */
  readonly target: OutputTarget;
}

/** A fault of one of several targets. */
export interface TargetFailure {
  /** Name of the target. */
  readonly name: string;
  /** What it threw. */
  readonly error: unknown;
}

/** What `CompositeOutputTarget` takes. */
export interface CompositeOutputTargetOptions {
  /** The targets; at least one. They belong to the composite: it closes them. */
  readonly targets: readonly NamedTarget[];
  /** Told as soon as a target fails while others go on. */
  readonly onFailure?: (failure: TargetFailure) => void;
}

/**
 * Several targets as one. A target that fails is closed and left out, the others go on; when none is left, the write is refused. `close`
 * finishes all that are left and then, if any had failed, throws `output_failed` that names them; its details hold the artifacts of
 * the others. When one cannot be opened, the others are closed again and nothing starts.
 */
export class CompositeOutputTarget implements OutputTarget {
  readonly #options: CompositeOutputTargetOptions;
  #live: NamedTarget[] = [];
  #failures: TargetFailure[] = [];
  #isOpen = false;
  #closed: Promise<readonly OutputArtifact[]> = Promise.resolve(Object.freeze([]));

  /** Throws `invalid_value` without any target. */
  constructor(options: CompositeOutputTargetOptions) {
    if (options.targets.length === 0) {
      throw new DreamloopError(ERROR_CODES.invalidValue, "CompositeOutputTarget.targets: expected at least one target");
    }
    this.#options = options;
  }

  /** The targets that have failed in the current or last run. */
  get failures(): readonly TargetFailure[] {
    return [...this.#failures];
  }

  /** Opens all. */
  async open(description: SessionDescription): Promise<void> {
    if (this.#isOpen) {
      throw new DreamloopError(ERROR_CODES.invalidState, "composite target: already open; close it first");
    }
    this.#isOpen = true;
    this.#failures = [];
    const { targets } = this.#options;
    const opened = await Promise.allSettled(targets.map(async ({ target }) => target.open(description)));
    this.#live = targets.filter((_, index) => opened[index]?.status === "fulfilled");
    const failures = failuresOf(targets, opened);
    if (failures.length === 0) return;
    this.#isOpen = false;
    await Promise.allSettled(this.#live.map(async ({ target }) => target.close()));
    this.#live = [];
    this.#failures = failures;
    throw failureError(failures, []);
  }

  /** Hands the result to all that are left and waits for the slowest. */
  async write(result: StepResult): Promise<void> {
    if (!this.#isOpen) {
      throw new DreamloopError(ERROR_CODES.closed, "composite target: write while closed; call open first");
    }
    const live = this.#live;
    const written = await Promise.allSettled(live.map(async ({ target }) => target.write(result)));
    const failures = failuresOf(live, written).filter(({ name }) => this.#isLive(name));
    if (failures.length > 0) await this.#leaveOut(failures);
    if (this.#live.length === 0) throw failureError(this.#failures, []);
  }

  /** Closes all; idempotent. */
  close(options: CloseOptions = {}): Promise<readonly OutputArtifact[]> {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#closed = this.#closeAll(options);
    }
    return this.#closed;
  }

  async #closeAll(options: CloseOptions): Promise<readonly OutputArtifact[]> {
    const live = this.#live;
    this.#live = [];
    const closed = await Promise.allSettled(live.map(async ({ target }) => target.close(options)));
    const failures = failuresOf(live, closed);
    for (const failure of failures) this.#options.onFailure?.(failure);
    const hadFailed = this.#failures.length;
    this.#failures.push(...failures);
    const artifacts = closed.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : []));
    if (this.#failures.length === 0) return Object.freeze(artifacts);
    // When none had been left, the write has thrown this already.
    if (hadFailed > 0 && live.length === 0) return Object.freeze([]);
    throw failureError(this.#failures, artifacts);
  }

  #isLive(name: string): boolean {
    return this.#live.some((each) => each.name === name);
  }

  async #leaveOut(failures: readonly TargetFailure[]): Promise<void> {
    const failed = this.#live.filter(({ name }) => failures.some((failure) => failure.name === name));
    this.#live = this.#live.filter((each) => !failed.includes(each));
    this.#failures.push(...failures);
    for (const failure of failures) this.#options.onFailure?.(failure);
    // Their own fault is known; what closing adds to it is not news.
    await Promise.allSettled(failed.map(async ({ target }) => target.close()));
  }
}

function failuresOf(
  targets: readonly NamedTarget[],
  outcomes: readonly PromiseSettledResult<unknown>[],
): TargetFailure[] {
  return outcomes.flatMap((outcome, index) => {
    const name = targets[index]?.name ?? "";
    return outcome.status === "rejected" ? [{ name, error: outcome.reason as unknown }] : [];
  });
}

function failureError(failures: readonly TargetFailure[], artifacts: readonly OutputArtifact[]): DreamloopError {
  const list = failures.map(({ name, error }) => `${name}: ${errorToRecord(error).message}`).join("; ");
  const rest = artifacts.length === 0 ? "" : `. Finished: ${artifacts.map(({ uri }) => uri).join(", ")}`;
  return new DreamloopError(ERROR_CODES.outputFailed, `${failures.length} target(s) failed: ${list}${rest}`, {
    cause: failures[0]?.error,
    details: {
      failures: failures.map(({ name, error }) => ({ name, error: errorToRecord(error) })),
      artifacts,
    },
  });
}
