import { DreamloopError, ERROR_CODES, isDreamloopError } from "../../foundation/dreamloop-error.ts";
import type { ModelInputs } from "../../mapping/model-inputs.ts";
import type {
  FrameHasher,
  ResetRecord,
  RewindRecord,
  RunObserver,
  RunStart,
  StepRecord,
} from "../../rollout/run-observer.ts";
import type { TraceStep } from "../format/trace-records.ts";
import type { Trace } from "../read-trace.ts";
import { encodeModelInputs } from "../value/model-inputs-payload.ts";
import type { ReplayDifference } from "./replay-options.ts";

/** What `RunComparison` needs. */
export interface RunComparisonOptions {
  /** What was recorded. */
  readonly trace: Trace;
  /** Hashes model inputs. */
  readonly hasher: FrameHasher;
  /** Whether the first difference ends the run. */
  readonly stopAtDifference: boolean;
  /** Called at the start: refuses what is not the recorded world, gives what else differs. */
  readonly onStart: (start: RunStart) => readonly string[];
}

/** Compares a run with its trace, step by step: model inputs first, then every frame. */
export class RunComparison implements RunObserver {
  readonly #options: RunComparisonOptions;
  #environmentDifferences: readonly string[] = [];
  #early: Omit<ReplayDifference, "stepNumber" | "generation" | "stepIndex"> | undefined;
  #resetsOfStep = 0;
  #stepNumber = 0;
  #comparedFrames = 0;
  #differingSteps = 0;
  #uncomparedSteps = 0;
  #first: ReplayDifference | undefined;

  /** Compares with `options.trace`. */
  constructor(options: RunComparisonOptions) {
    this.#options = options;
  }

  /** What of machine, engine and versions is not as recorded. */
  get environmentDifferences(): readonly string[] {
    return this.#environmentDifferences;
  }

  /** Frames whose hashes were compared. */
  get comparedFrames(): number {
    return this.#comparedFrames;
  }

  /** Steps that differ. */
  get differingSteps(): number {
    return this.#differingSteps;
  }

  /** Steps with frames of which the trace has no hashes. */
  get uncomparedSteps(): number {
    return this.#uncomparedSteps;
  }

  /** The first difference. */
  get first(): ReplayDifference | undefined {
    return this.#first;
  }

  /** Refuses another world; notes initial inputs that differ for the first step. */
  async runStarted(start: RunStart): Promise<void> {
    this.#environmentDifferences = this.#options.onStart(start);
    await this.#compareInitial(this.#options.trace.header.initialInputs, start.initialInputs);
  }

  /** Notes a reset that is not as recorded for the step that follows. */
  async resetApplied(record: ResetRecord): Promise<void> {
    const expected = this.#options.trace.steps[this.#stepNumber]?.resets[this.#resetsOfStep];
    this.#resetsOfStep += 1;
    if (expected === undefined) {
      this.#early ??= { what: "order", expected: "no reset", found: `a reset to generation ${record.generation}` };
    } else if (expected.seed !== record.seed) {
      this.#early ??= { what: "order", expected: `seed ${expected.seed}`, found: `seed ${record.seed}` };
    } else await this.#compareInitial(expected.initialInputs, record.initialInputs);
  }

  /** Notes a rewind that is not as recorded for the step that follows. */
  rewindApplied(record: RewindRecord): void {
    const expected = this.#options.trace.steps[this.#stepNumber]?.rewind;
    const place = ({ toGeneration, stepIndex, seed }: Omit<RewindRecord, "clearedDeltas">): string =>
      `a rewind to step ${stepIndex} of generation ${toGeneration} with seed ${seed}`;
    if (expected === undefined) this.#early ??= { what: "order", expected: "no rewind", found: place(record) };
    else if (place(expected) !== place(record)) {
      this.#early ??= { what: "order", expected: place(expected), found: place(record) };
    }
  }

  /** Compares one step. Throws `replay_differs` when it differs and differences end the run. */
  async stepCommitted(record: StepRecord): Promise<void> {
    const expected = this.#options.trace.steps[this.#stepNumber];
    const difference = await this.#compare(expected, record);
    if (difference !== undefined) {
      this.#differingSteps += 1;
      this.#first ??= difference;
      if (this.#options.stopAtDifference) throw this.differenceError(difference);
    }
    if (record.result.frameCount > 0 && (expected.frameHashes === undefined || record.frameHashes === undefined)) {
      this.#uncomparedSteps += 1;
    }
    this.#comparedFrames += Math.min(expected.frameHashes?.length ?? 0, record.frameHashes?.length ?? 0);
    this.#stepNumber += 1;
    this.#resetsOfStep = 0;
    this.#early = undefined;
  }

  /** The error for a difference, with everything that may explain it. */
  differenceError(difference: ReplayDifference): DreamloopError {
    const { trace } = this.#options;
    const parts = [describeDifference(difference)];
    if (!trace.header.exactness.promised) {
      const { tolerance } = trace;
      const measured =
        tolerance === undefined
          ? "and no tolerance has been measured"
          : `its measured tolerance is a difference of at most ${tolerance.maxDifference} of 255`;
      parts.push(
        `the trace does not promise exactness (${trace.header.exactness.reason ?? "no reason given"}), ${measured}`,
      );
    }
    const others = this.#environmentDifferences;
    if (others.length > 0) {
      const more = others.length > 6 ? ` and ${others.length - 6} more` : "";
      parts.push(`not as recorded: ${others.slice(0, 6).join(", ")}${more}`);
    }
    return new DreamloopError(ERROR_CODES.replayDiffers, parts.join("; "), {
      details: { ...difference, environmentDifferences: others },
    });
  }

  async #compare(expected: TraceStep, record: StepRecord): Promise<ReplayDifference | undefined> {
    const { stepNumber, generation, stepIndex } = expected;
    const at = { stepNumber, generation, stepIndex };
    if (this.#early !== undefined) return { ...at, ...this.#early };
    const { result } = record;
    if (result.generation !== generation || result.stepIndex !== stepIndex) {
      const place = (of: { readonly generation: number; readonly stepIndex: number }): string =>
        `step ${of.stepIndex} of generation ${of.generation}`;
      return { ...at, what: "order", expected: place(expected), found: place(result) };
    }
    const inputs = await this.#address(record.modelInputs);
    const modelInputsDiffer = expected.modelInputs === undefined ? undefined : inputs !== expected.modelInputs;
    const known = modelInputsDiffer === undefined ? {} : { modelInputsDiffer };
    const frameIndex = firstDifferingFrame(expected.frameHashes, record.frameHashes);
    if (frameIndex !== undefined) {
      const [from, to] = [expected.frameHashes?.[frameIndex], record.frameHashes?.[frameIndex]];
      return { ...at, what: "frames", frameIndex, expected: from ?? "no frame", found: to ?? "no frame", ...known };
    }
    if (modelInputsDiffer !== true) return undefined;
    return { ...at, what: "model_inputs", expected: expected.modelInputs ?? "none", found: inputs ?? "none", ...known };
  }

  async #compareInitial(expected: string | undefined, inputs: ModelInputs): Promise<void> {
    if (expected === undefined) return;
    const found = await this.#address(inputs);
    if (found === expected) return;
    this.#early ??= { what: "model_inputs", expected, found: found ?? "none", modelInputsDiffer: true };
  }

  /** The hash of model inputs, or nothing when they hold what no trace can. */
  async #address(inputs: ModelInputs): Promise<string | undefined> {
    try {
      return (await encodeModelInputs(inputs, this.#options.hasher)).address;
    } catch (error) {
      if (isDreamloopError(error, ERROR_CODES.invalidValue)) return undefined;
      throw error;
    }
  }
}

/** Index of the first frame whose hash differs; nothing when the trace has no hashes. */
function firstDifferingFrame(
  expected: readonly string[] | undefined,
  found: readonly string[] | undefined,
): number | undefined {
  if (expected === undefined || found === undefined) return undefined;
  const length = Math.max(expected.length, found.length);
  for (let index = 0; index < length; index += 1) if (expected[index] !== found[index]) return index;
  return undefined;
}

function describeDifference(difference: ReplayDifference): string {
  const { what, stepNumber, generation, stepIndex, frameIndex, expected, found, modelInputsDiffer } = difference;
  const place = `step ${stepNumber} (step ${stepIndex} of generation ${generation})`;
  switch (what) {
    case "order":
      return `${place}: expected ${expected}, found ${found}`;
    case "model_inputs":
      return `${place}: the model inputs differ: expected the hash ${expected}, found ${found}`;
    case "frames": {
      const cause =
        modelInputsDiffer === undefined
          ? "the trace does not have the hash of its model inputs"
          : modelInputsDiffer
            ? "its model inputs differ too, so look at mapping, converters and events"
            : "its model inputs are the same, so look at the model and the machine";
      return `${place}, frame ${frameIndex ?? 0}: expected the hash ${expected}, found ${found}; ${cause}`;
    }
  }
}
