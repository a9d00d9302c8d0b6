import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { SessionDescription } from "../model/session-description.ts";
import { stepResult, type StepResult } from "../model/step-result.ts";
import { flag, withDefault } from "../foundation/validate/reader.ts";
import { refuseUnknownKeys } from "../foundation/validate/record.ts";
import type { OutputArtifact, OutputTarget } from "./output-target.ts";

/** Counts results and keeps them only when asked to; closed at first. */
export class NullOutputTarget implements OutputTarget {
  readonly #storeResults: boolean;
  #description: SessionDescription | undefined;
  #open = false;
  #results: StepResult[] = [];
  #resultCount = 0;
  #frameCount = 0;

  /** `storeResults` keeps every result in `results`, with a copy of its frames; default false. */
  constructor(options: { readonly storeResults?: boolean } = {}) {
    refuseUnknownKeys(options, ["storeResults"], "NullOutputTarget");
    this.#storeResults = withDefault(flag, false)(options.storeResults, "NullOutputTarget.storeResults");
  }

  /** Whether results are kept. */
  get storeResults(): boolean {
    return this.#storeResults;
  }

  /** Whether it is open. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** What the current or last run delivers. */
  get description(): SessionDescription | undefined {
    return this.#description;
  }

  /** Results of the current or last run; empty unless `storeResults`. */
  get results(): readonly StepResult[] {
    return [...this.#results];
  }

  /** Results written in the current or last run. */
  get resultCount(): number {
    return this.#resultCount;
  }

  /** Frames written in the current or last run. */
  get frameCount(): number {
    return this.#frameCount;
  }

  /** Starts a run: count and results begin anew, also when it is already open. */
  open(description: SessionDescription): void {
    this.#description = description;
    this.#open = true;
    this.#results = [];
    this.#resultCount = 0;
    this.#frameCount = 0;
  }

  /** Counts one result; refused while closed. */
  write(result: StepResult): void {
    if (!this.#open)
      throw new DreamloopError(
        ERROR_CODES.closed,
        "NullOutputTarget.write: the target is closed; call open(description) first",
      );
    const taken = stepResult(result);
    this.#resultCount += 1;
    this.#frameCount += taken.frameCount;
    if (this.#storeResults) this.#results.push(withOwnFrames(taken));
  }

  /** Ends the run; repeatable, counters stay readable. */
  close(): readonly OutputArtifact[] {
    this.#open = false;
    return [];
  }
}

/** The result with frames of its own: those that a target is given are painted over once it has returned. */
function withOwnFrames(result: StepResult): StepResult {
  const { output } = result;
  if (output === undefined) return result;
  return stepResult({ ...result, output: { ...output, data: output.data.slice(), release: undefined } });
}
