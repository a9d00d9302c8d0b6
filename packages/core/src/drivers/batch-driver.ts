import { DreamloopError, ERROR_CODES, isDreamloopError } from "../foundation/dreamloop-error.ts";
import { eventListSource } from "../inputs/event-list-source.ts";
import { InputTracker } from "../inputs/input-tracker.ts";
import { splitControl } from "../inputs/split-control.ts";
import type { UserInputSource } from "../inputs/user-input-source.ts";
import { sliceFrames } from "../model/frame-pixels.ts";
import { stepResult, type StepResult } from "../model/step-result.ts";
import { outputArtifact, type OutputArtifact, type OutputTarget } from "./output-target.ts";
import { FrameLease } from "../rollout/frame-lease.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { StepOutcome } from "../rollout/rollout-types.ts";
import { RUN_OUTCOMES, type RunOutcome } from "../rollout/run-observer.ts";
import { STAGES, StageTimer } from "../rollout/stages.ts";
import { listOf } from "../foundation/validate/reader.ts";
import { timeWindow, type TimeWindow } from "../foundation/time/time-window.ts";
import { Cleanup } from "./cleanup.ts";
import { PromptWarnings } from "./prompt-warnings.ts";
import { checkBatchOptions } from "./read-options.ts";
import type { RunOptions, RunReport } from "./run-options.ts";
import {
  hashFrames,
  startRollout,
  tellObservers,
  WarningCounter,
  recordStepMetrics,
  stepRecord,
  type CommittedStep,
} from "./run-setup.ts";

/** What the batch driver takes beside `RunOptions`. */
export interface BatchOptions extends RunOptions {
  /** Finite input: a trace, a script, a list of events; default none. */
  readonly source?: UserInputSource;
  /** Where frames go; each is opened, written and closed in this order. */
  readonly outputs?: readonly OutputTarget[];
  /** Steps to run over all generations; absent: until the rollout or the source is complete. */
  readonly stepLimit?: number;
  /** Frames to deliver, exactly: the last chunk is cut. Absent: no limit. */
  readonly frameLimit?: number;
  /** Seconds of the world's timeline to deliver, to the nearest frame and at least one; for callers that do not know the rate yet. Absent: no limit. */
  readonly secondsLimit?: number;
  /** The window of each step where a replay dictates it; `undefined` ends the run. */
  readonly windows?: (stepNumber: number) => { readonly window: TimeWindow; readonly discarded?: boolean } | undefined;
  /** Leaves out updates that the model refuses, with a warning, as live runs do; default false: such a step fails. */
  readonly dropRefusedUpdates?: boolean;
  /** Called after each committed step, for progress displays. */
  readonly onStep?: (progress: { readonly stepCount: number; readonly frameCount: number }) => void;
}

/**
 * Runs a rollout as fast as it goes on finite input, waits for slow outputs and loses nothing. Throws the first error after everything
 * has been closed; a cleanup error only when there was no other.
 */
export async function runBatch(options: BatchOptions): Promise<RunReport> {
  checkBatchOptions(options);
  const { stepLimit, frameLimit, secondsLimit } = options;
  const source = options.source ?? eventListSource({ events: [] });
  const cleanup = new Cleanup();
  const warnings = new WarningCounter(options.onWarning);
  const artifacts: OutputArtifact[] = [];
  let run: BatchRun | undefined;
  let outcome: RunOutcome = RUN_OUTCOMES.failed;
  try {
    const rollout = await startRollout(options, source.schema, cleanup, warnings, {
      realtime: false,
      dropRefusedUpdates: options.dropRefusedUpdates === true,
    });
    for (const target of options.outputs ?? []) {
      await target.open(rollout.description);
      cleanup.add(async () => artifacts.push(...readArtifacts(await target.close())));
    }
    const rate = rollout.description.framesPerSecond;
    const secondFrames = secondsLimit === undefined ? Infinity : Math.max(1, Math.round(secondsLimit * rate));
    const frames = Math.min(frameLimit ?? Infinity, secondFrames);
    const limits = { stepLimit, frameLimit: frames === Infinity ? undefined : frames };
    run = new BatchRun(options, rollout, source, limits, warnings);
    outcome = await run.loop();
  } catch (error) {
    if (isDreamloopError(error, ERROR_CODES.cancelled)) outcome = RUN_OUTCOMES.cancelled;
    await cleanup.run();
    // An observer that fails at the end does not hide why the run failed.
    await tellEnd(options, outcome, run).catch(() => undefined);
    throw error;
  }
  await cleanup.run();
  await tellEnd(options, outcome, run);
  cleanup.raise();
  // Targets are closed in reverse order of opening; what they made is listed in the order in which they were given.
  artifacts.reverse();
  return { ...run.counts, outcome, artifacts, warnings: { ...warnings.counts } };
}

/** Steps in a row that may give no frames before a run that is measured in frames is given up: it would never end. */
const MAX_EMPTY_STEPS = 1000;

function readArtifacts(given: unknown): readonly OutputArtifact[] {
  return listOf((artifact) => outputArtifact(artifact as OutputArtifact))(given, "OutputTarget.close()");
}

async function tellEnd(options: BatchOptions, outcome: RunOutcome, run: BatchRun | undefined): Promise<void> {
  const { stepCount, frameCount } = run?.counts ?? { stepCount: 0, frameCount: 0 };
  await tellObservers(options.observers, (observer) => observer.runEnded?.({ outcome, stepCount, frameCount }));
}

interface Limits {
  readonly stepLimit: number | undefined;
  readonly frameLimit: number | undefined;
}

/** The second half of the standard loop: one turn for each step. */
class BatchRun {
  readonly #options: BatchOptions;
  readonly #rollout: Rollout;
  readonly #source: UserInputSource;
  readonly #limits: Limits;
  readonly #timer: StageTimer;
  readonly #tracker = new InputTracker();
  readonly #prompts: PromptWarnings;
  #windowEndSeconds = 0;
  #timelineFrames = 0;
  #frameCount = 0;
  #emptySteps = 0;
  #resetCount = 0;

  constructor(
    options: BatchOptions,
    rollout: Rollout,
    source: UserInputSource,
    limits: Limits,
    warnings: WarningCounter,
  ) {
    this.#options = options;
    this.#rollout = rollout;
    this.#source = source;
    this.#limits = limits;
    this.#timer = new StageTimer(options.stages, options.clock);
    this.#prompts = new PromptWarnings((warning) => warnings.warn(warning));
  }

  get counts(): Omit<RunReport, "outcome" | "artifacts" | "warnings"> {
    return {
      stepCount: this.#rollout.stepNumber,
      frameCount: this.#frameCount,
      resetCount: this.#resetCount,
      sessionSeconds: this.#windowEndSeconds,
    };
  }

  async loop(): Promise<RunOutcome> {
    for (;;) {
      if (this.#options.signal?.aborted) return RUN_OUTCOMES.cancelled;
      if (this.#limitReached()) return RUN_OUTCOMES.completed;
      const planned =
        this.#options.windows === undefined ? this.#nextWindow() : this.#dictatedWindow(this.#options.windows);
      if (planned === undefined) return RUN_OUTCOMES.completed;
      const ended = await this.#turn(planned.window, planned.discarded);
      if (ended !== undefined) return ended;
    }
  }

  #limitReached(): boolean {
    const { stepLimit, frameLimit } = this.#limits;
    if (stepLimit !== undefined && this.#rollout.stepNumber >= stepLimit) return true;
    return frameLimit !== undefined && this.#frameCount >= frameLimit;
  }

  /** Windows tile the timeline. A request's wish for a later end is granted; otherwise a window lasts as long as the step's frames. */
  #nextWindow(): { readonly window: TimeWindow; readonly discarded: boolean } | undefined {
    const request = this.#rollout.nextRequest();
    if (request === undefined) return undefined;
    const endSeconds = this.#options.source?.endSeconds;
    const { stepLimit, frameLimit } = this.#limits;
    const startSeconds = this.#windowEndSeconds;
    if (stepLimit === undefined && frameLimit === undefined && endSeconds !== undefined && startSeconds >= endSeconds)
      return undefined;
    this.#timelineFrames += this.#rollout.nextFrames;
    const wish = request.userInputWindow;
    const granted = wish !== undefined && wish.endSeconds >= startSeconds;
    const end = granted ? wish.endSeconds : this.#timelineFrames / this.#rollout.description.framesPerSecond;
    return { window: timeWindow({ startSeconds, endSeconds: Math.max(startSeconds, end) }), discarded: false };
  }

  /** The window of a replay; it is read also when the rollout is complete, since a reset may stand in it. */
  #dictatedWindow(
    windows: NonNullable<BatchOptions["windows"]>,
  ): { readonly window: TimeWindow; readonly discarded: boolean } | undefined {
    const given = windows(this.#rollout.stepNumber);
    return given === undefined ? undefined : { window: given.window, discarded: given.discarded === true };
  }

  /** One step; gives the outcome when the run ended before it. */
  async #turn(window: TimeWindow, discarded: boolean): Promise<RunOutcome | undefined> {
    const { signal } = this.#options;
    const rollout = this.#rollout;
    const stepNumber = rollout.stepNumber;
    const readStart = this.#timer.now();
    const inputs = this.#source.read(window);
    const split = splitControl(inputs, this.#tracker);
    this.#timer.end(STAGES.read, stepNumber, readStart);
    this.#windowEndSeconds = window.endSeconds;
    for (const reset of split.control.resets) await this.#reset(reset.seed, window, split.clearedDeltas);
    if (split.control.close) return RUN_OUTCOMES.closed;
    const request = rollout.nextRequest();
    if (request === undefined) return RUN_OUTCOMES.completed;
    const outcome = await rollout.step(request, split.inputs, window, signal);
    await this.#deliver(outcome, { stepNumber, inputs, window, discarded });
    return undefined;
  }

  async #reset(seed: number | undefined, window: TimeWindow, clearedDeltas: number): Promise<void> {
    const initialInputs = await this.#rollout.reset({ seed, signal: this.#options.signal });
    this.#resetCount += 1;
    const { generation, seed: inForce } = this.#rollout;
    await tellObservers(this.#options.observers, (observer) =>
      observer.resetApplied?.({
        generation,
        seed: inForce,
        initialInputs,
        timestampSeconds: window.startSeconds,
        clearedDeltas,
      }),
    );
  }

  async #deliver(outcome: StepOutcome, step: Omit<CommittedStep, "frameHashes">): Promise<void> {
    const { observers, frameHasher, onStep, signal, metrics } = this.#options;
    const { result } = outcome;
    const { stepNumber } = step;
    const lease = new FrameLease(result.output);
    try {
      let mark = this.#timer.now();
      const frameHashes = await hashFrames(result, frameHasher);
      if (frameHasher !== undefined) mark = this.#timer.end(STAGES.hash, stepNumber, mark);
      const written = step.discarded ? undefined : this.#cut(result);
      if (written !== undefined) await this.#write(written);
      recordStepMetrics(metrics, result);
      this.#timer.end(STAGES.write, stepNumber, mark);
      await this.#rollout.commit(signal);
      this.#prompts.take(result, stepNumber);
      this.#frameCount += written?.frameCount ?? 0;
      this.#countEmpty(result);
      if (observers !== undefined && observers.length > 0) {
        mark = this.#timer.now();
        const record = stepRecord(outcome, { ...step, frameHashes });
        await tellObservers(observers, (observer) => observer.stepCommitted?.(record));
        this.#timer.end(STAGES.observe, stepNumber, mark);
      }
    } catch (error) {
      this.#rollout.discard();
      throw error;
    } finally {
      lease.release();
    }
    onStep?.({ stepCount: this.#rollout.stepNumber, frameCount: this.#frameCount });
  }

  #countEmpty(result: StepResult): void {
    this.#emptySteps = result.frameCount > 0 ? 0 : this.#emptySteps + 1;
    if (this.#emptySteps < MAX_EMPTY_STEPS || this.#limits.frameLimit === undefined) return;
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `StepResult.output: expected frames, found none in ${MAX_EMPTY_STEPS} steps; a run of a number of frames would never end`,
    );
  }

  /** The result as targets receive it: cut when the frame limit falls inside of it. */
  #cut(result: StepResult): StepResult {
    const { frameLimit } = this.#limits;
    const left = frameLimit === undefined ? Infinity : frameLimit - this.#frameCount;
    if (result.output === undefined || result.frameCount <= left) return result;
    return stepResult({ ...result, output: sliceFrames(result.output, 0, left), frameCount: left });
  }

  async #write(result: StepResult): Promise<void> {
    for (const target of this.#options.outputs ?? []) {
      const written = target.write(result);
      if (written !== undefined) await written;
    }
  }
}

/** Refuses a batch run that would never end. */
export function requireBatchEnd(
  options: Pick<BatchOptions, "source" | "stepLimit" | "frameLimit" | "secondsLimit">,
): void {
  const { source, stepLimit, frameLimit, secondsLimit } = options;
  if ([source?.endSeconds, stepLimit, frameLimit, secondsLimit].some((limit) => limit !== undefined)) return;
  throw new DreamloopError(
    ERROR_CODES.invalidValue,
    "BatchOptions: the run would never end; give a limit in frames, seconds or steps, or a source that ends",
  );
}
