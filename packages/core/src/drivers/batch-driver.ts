import { callNamed } from "./call-named.ts";
import { asStepError } from "../rollout/step-contract.ts";
import { within } from "../foundation/validate/reader.ts";
import { DreamloopError, ERROR_CODES, isDreamloopError, throwIfCancelled } from "../foundation/dreamloop-error.ts";
import { eventListSource } from "../inputs/event-list-source.ts";
import type { InputTracker } from "../inputs/input-tracker.ts";
import { splitControl, type RewindOrder } from "../inputs/split-control.ts";
import type { UserInputSource } from "../inputs/user-input-source.ts";
import { sliceFrames } from "../model/frame-pixels.ts";
import { stepResult, type StepResult } from "../model/step-result.ts";
import { readArtifacts, type OutputArtifact, type OutputTarget } from "./output-target.ts";
import { FrameLease } from "../rollout/frame-lease.ts";
import { planRun, type RunPlan } from "../rollout/run-plan.ts";
import type { Rollout } from "../rollout/rollout.ts";
import type { StepOutcome } from "../rollout/rollout-types.ts";
import { RUN_OUTCOMES, type RunOutcome } from "../rollout/run-observer.ts";
import { STAGES, StageTimer } from "../rollout/stages.ts";
import { timeWindow, type TimeWindow } from "../foundation/time/time-window.ts";
import { eventLoopTurn } from "../foundation/time/event-loop-turn.ts";
import { readWaitLimits, WaitGuard, type Waits } from "../foundation/time/wait-guard.ts";
import { userInputs, type UserInputs } from "../inputs/user-inputs.ts";
import type { DriverState } from "../snapshot/session-state.ts";
import { Cleanup } from "./cleanup.ts";
import { startOf } from "./go-on-from.ts";
import { HistoryKeeper } from "./history-keeper.ts";
import { PromptWarnings } from "./prompt-warnings.ts";
import { checkBatchOptions } from "./read-options.ts";
import type { RunOptions, RunReport, RunServices } from "./run-options.ts";
import { closeWithRun, startRollout, type StartedRun } from "./start-rollout.ts";
import { tellObservers, stepRecord, type CommittedStep } from "./tell-observers.ts";
import { recordStepMetrics } from "./run-metrics.ts";
import { hashFrames } from "./hash-frames.ts";
import { WarningCounter } from "./run-warnings.ts";

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
  /** Called after each committed step, for progress displays. */
  readonly onStep?: (progress: { readonly stepCount: number; readonly frameCount: number }) => void;
}

/** A window that a plan dictates for a step. */
export interface PlannedWindow {
  /** The window. */
  readonly window: TimeWindow;
  /** Whether the frames of the step are held back; default false. */
  readonly discarded?: boolean;
}

/** A batch run whose plan is settled: a replay knows windows that a run of its own accord would choose. */
export interface PlannedBatch
  extends RunServices, Pick<BatchOptions, "outputs" | "onStep" | "stepLimit" | "frameLimit" | "secondsLimit"> {
  /** What runs. */
  readonly plan: RunPlan;
  /** The input. */
  readonly source: UserInputSource;
  /** The window of each step, asked for right before it; `undefined` ends the run. Absent: windows tile the timeline. */
  readonly windows?: (stepNumber: number) => Promise<PlannedWindow | undefined>;
  /** Leaves out updates that the model refuses, with a warning, as live runs do; default false: such a step fails. */
  readonly dropRefusedUpdates?: boolean;
}

/**
 * Runs a rollout as fast as it goes on finite input, waits for slow outputs and loses nothing. Throws the first error after everything
 * has been closed; a cleanup error only when there was no other.
 */
export async function runBatch(options: BatchOptions): Promise<RunReport> {
  checkBatchOptions(options);
  const source = options.source ?? noInput();
  return execute({ ...options, source }, () =>
    planRun({ ...options, ...startOf(options), sourceSchema: source.schema }),
  );
}

/** Runs what a plan says, as `runBatch` does. */
export function runPlannedBatch(batch: PlannedBatch): Promise<RunReport> {
  return execute(batch, () => batch.plan);
}

async function execute(batch: Omit<PlannedBatch, "plan">, settle: () => RunPlan): Promise<RunReport> {
  const { metrics, signal } = batch;
  const cleanup = new Cleanup();
  const waits = new WaitGuard(batch.clock, readWaitLimits(batch.waits, "BatchOptions.waits"), signal);
  const warnings = new WarningCounter(batch.onWarning);
  const artifacts: OutputArtifact[] = [];
  let run: BatchRun | undefined;
  let outcome: RunOutcome = RUN_OUTCOMES.failed;
  try {
    if (metrics !== undefined) closeWithRun(cleanup, metrics, waits);
    throwIfCancelled(signal, "the run");
    const started = await startRollout(
      settle(),
      batch,
      { cleanup, warnings, waits },
      { realtime: false, dropRefusedUpdates: batch.dropRefusedUpdates === true },
    );
    const { description } = started.rollout;
    for (const target of batch.outputs ?? []) {
      const output = { kind: "output", code: ERROR_CODES.outputFailed } as const;
      await callNamed(waits, { what: "the opening of an output", ...output }, () => target.open(description));
      cleanup.add(async () => {
        const made = await callNamed<unknown>(waits, { what: "the close of an output", ...output }, () =>
          target.close(),
        );
        // Targets are closed in reverse order of opening; what they made is listed in the order in which they were given.
        artifacts.unshift(...readArtifacts(made, "OutputTarget.close()"));
      });
    }
    run = new BatchRun(batch, started, warnings, waits);
    await run.begin();
    outcome = await run.loop();
  } catch (error) {
    if (isDreamloopError(error, ERROR_CODES.cancelled)) outcome = RUN_OUTCOMES.cancelled;
    await cleanup.run();
    // An observer that fails at the end does not hide why the run failed.
    await tellEnd(batch, outcome, run, waits).catch(() => undefined);
    waits.close();
    throw error;
  }
  await cleanup.run();
  await tellEnd(batch, outcome, run, waits).finally(() => waits.close());
  cleanup.raise();
  return { ...run.counts, outcome, artifacts, warnings: { ...warnings.counts } };
}

/** Steps in a row that may give no frames before a run that is measured in frames is given up: it would never end. */
const MAX_EMPTY_STEPS = 1000;

/** Seconds of synchronous steps after which a run gives the event loop a turn. */
const TURN_SECONDS = 0.02;

/** Steps after which it gives the event loop a turn in any case: its clock may be one that stands still, or its steps may hold the loop later. */
const TURN_STEPS = 256;

async function tellEnd(
  options: RunServices,
  outcome: RunOutcome,
  run: BatchRun | undefined,
  waits: Waits,
): Promise<void> {
  const { stepCount, frameCount } = run?.counts ?? { stepCount: 0, frameCount: 0 };
  await tellObservers(options.observers, waits, (observer) => observer.runEnded?.({ outcome, stepCount, frameCount }));
}

/** The second half of the standard loop: one turn for each step. */
class BatchRun {
  readonly #options: Omit<PlannedBatch, "plan">;
  readonly #rollout: Rollout;
  readonly #frameLimit: number | undefined;
  readonly #timer: StageTimer;
  readonly #tracker: InputTracker;
  readonly #keeper: HistoryKeeper;
  readonly #prompts: PromptWarnings;
  readonly #waits: Waits;
  #windowEndSeconds: number;
  #timelineFrames: number;
  #frameCount = 0;
  #emptySteps = 0;
  #resetCount = 0;
  #heldSeconds = 0;
  #turnSteps = 0;

  constructor(options: Omit<PlannedBatch, "plan">, started: StartedRun, warnings: WarningCounter, waits: Waits) {
    const { rollout, tracker, sessionSeconds, timelineFrames } = started;
    const { history, signal } = options;
    this.#options = options;
    this.#waits = waits;
    this.#rollout = rollout;
    this.#tracker = tracker;
    this.#windowEndSeconds = sessionSeconds;
    this.#timelineFrames = timelineFrames;
    this.#keeper = new HistoryKeeper({ history, rollout, driverState: () => this.#driverState(), signal });
    this.#frameLimit = frameLimitOf(options, rollout.description.framesPerSecond);
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

  /** Stands at the first boundary; what the source has before it is over. */
  async begin(): Promise<void> {
    const endSeconds = this.#windowEndSeconds;
    if (endSeconds > 0 && this.#options.windows === undefined) {
      this.#options.source.read(timeWindow({ startSeconds: 0, endSeconds }));
    }
    await this.#keeper.begin();
  }

  async loop(): Promise<RunOutcome> {
    for (;;) {
      if (this.#options.signal?.aborted) return RUN_OUTCOMES.cancelled;
      if (this.#limitReached()) return RUN_OUTCOMES.completed;
      const { windows } = this.#options;
      // The window of a replay is read also when the rollout is complete, since a reset may lie in it.
      const planned = windows === undefined ? this.#nextWindow() : await windows(this.#rollout.stepNumber);
      if (planned === undefined) return RUN_OUTCOMES.completed;
      const ended = await this.#turn(planned.window, planned.discarded === true);
      if (ended !== undefined) return ended;
      await this.#letOthersRun();
    }
  }

  /** A world whose steps and outputs are all synchronous would otherwise never let a timer or a stop signal through. */
  async #letOthersRun(): Promise<void> {
    this.#turnSteps += 1;
    if (this.#heldSeconds < TURN_SECONDS && this.#turnSteps < TURN_STEPS) return;
    this.#turnSteps = 0;
    this.#heldSeconds = 0;
    await eventLoopTurn();
  }

  #limitReached(): boolean {
    const { stepLimit } = this.#options;
    if (stepLimit !== undefined && this.#rollout.stepNumber >= stepLimit) return true;
    return this.#frameLimit !== undefined && this.#frameCount >= this.#frameLimit;
  }

  /** Windows tile the timeline. A request's wish for a later end is granted; otherwise a window lasts as long as the step's frames. */
  #nextWindow(): PlannedWindow | undefined {
    const request = this.#rollout.nextRequest();
    if (request === undefined) return undefined;
    const { source, stepLimit } = this.#options;
    const { endSeconds } = source;
    const startSeconds = this.#windowEndSeconds;
    const isLimited = stepLimit !== undefined || this.#frameLimit !== undefined;
    if (!isLimited && endSeconds !== undefined && startSeconds >= endSeconds) return undefined;
    this.#timelineFrames += this.#rollout.nextFrames;
    const wish = request.userInputWindow;
    const granted = wish !== undefined && wish.endSeconds >= startSeconds;
    const end = granted ? wish.endSeconds : this.#timelineFrames / this.#rollout.description.framesPerSecond;
    return { window: timeWindow({ startSeconds, endSeconds: Math.max(startSeconds, end) }) };
  }

  /** One step; gives the outcome when the run ended before it. */
  async #turn(window: TimeWindow, discarded: boolean): Promise<RunOutcome | undefined> {
    const { signal } = this.#options;
    const rollout = this.#rollout;
    const stepNumber = rollout.stepNumber;
    const readStart = this.#timer.now();
    const inputs = this.#read(window);
    const split = splitControl(inputs, this.#tracker);
    this.#timer.end(STAGES.read, stepNumber, readStart);
    this.#windowEndSeconds = window.endSeconds;
    let stepInputs = split.inputs;
    if (split.control.rewind !== undefined) {
      stepInputs = await this.#rewind(split.control.rewind, stepInputs, window, split.clearedDeltas);
    }
    for (const reset of split.control.resets) await this.#reset(reset.seed, window, split.clearedDeltas);
    if (split.control.close) return RUN_OUTCOMES.closed;
    const request = rollout.nextRequest();
    if (request === undefined) return RUN_OUTCOMES.completed;
    const calledSeconds = this.#options.clock.nowSeconds();
    const stepping = rollout.step(request, stepInputs, window, signal);
    this.#heldSeconds += this.#options.clock.nowSeconds() - calledSeconds;
    const outcome = await stepping;
    await this.#deliver(outcome, { stepNumber, inputs, window, discarded });
    await this.#keeper.stepped(stepInputs, window, outcome.result.frameCount);
    return undefined;
  }

  /** The inputs of a window; a source of someone else's may give a literal. */
  #read(window: TimeWindow): UserInputs {
    let given: UserInputs;
    try {
      given = this.#options.source.read(window);
    } catch (error) {
      throw asStepError(error, "the reading of input");
    }
    return within("UserInputSource.read()", () => userInputs(given));
  }

  async #reset(seed: number | undefined, window: TimeWindow, clearedDeltas: number): Promise<void> {
    const initialInputs = await this.#rollout.reset({ seed, signal: this.#options.signal });
    this.#resetCount += 1;
    await this.#keeper.reset();
    const { generation, seed: inForce } = this.#rollout;
    await tellObservers(this.#options.observers, this.#waits, (observer) =>
      observer.resetApplied?.({
        generation,
        seed: inForce,
        initialInputs,
        timestampSeconds: window.startSeconds,
        clearedDeltas,
      }),
    );
  }

  async #rewind(
    order: RewindOrder,
    inputs: UserInputs,
    window: TimeWindow,
    clearedDeltas: number,
  ): Promise<UserInputs> {
    const now = { tracker: this.#tracker, timestampSeconds: window.startSeconds };
    const rewound = await this.#keeper.rewind(order, inputs, now);
    await tellObservers(this.#options.observers, this.#waits, (observer) =>
      observer.rewindApplied?.({ ...rewound.record, clearedDeltas }),
    );
    return rewound.inputs;
  }

  #driverState(): DriverState {
    const sessionSeconds = this.#windowEndSeconds;
    const { framesPerSecond } = this.#rollout.description;
    const isDictated = this.#options.windows !== undefined;
    const timelineFrames = isDictated ? Math.ceil(sessionSeconds * framesPerSecond) : this.#timelineFrames;
    return { held: this.#tracker.save(), sessionSeconds, timelineFrames };
  }

  async #deliver(outcome: StepOutcome, step: Omit<CommittedStep, "frameHashes">): Promise<void> {
    const { observers, frameHasher, onStep, signal, metrics } = this.#options;
    const { result } = outcome;
    const { stepNumber } = step;
    const lease = new FrameLease(result.output);
    try {
      let mark = this.#timer.now();
      const frameHashes = await hashFrames(result, frameHasher, this.#waits);
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
        await tellObservers(observers, this.#waits, (observer) => observer.stepCommitted?.(record));
        this.#timer.end(STAGES.observe, stepNumber, mark);
      }
    } catch (error) {
      this.#rollout.discard();
      lease.releaseQuietly();
      throw error;
    }
    lease.release();
    if (onStep === undefined) return;
    const hook = { what: "BatchOptions.onStep", kind: "output", code: ERROR_CODES.observerFailed } as const;
    await callNamed<unknown>(this.#waits, hook, () =>
      onStep({ stepCount: this.#rollout.stepNumber, frameCount: this.#frameCount }),
    );
  }

  #countEmpty(result: StepResult): void {
    this.#emptySteps = result.frameCount > 0 ? 0 : this.#emptySteps + 1;
    if (this.#emptySteps < MAX_EMPTY_STEPS || this.#frameLimit === undefined) return;
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `StepResult.output: expected frames, found none in ${MAX_EMPTY_STEPS} steps; a run of a number of frames would never end`,
    );
  }

  /** The result as targets receive it: cut when the frame limit falls inside of it. */
  #cut(result: StepResult): StepResult {
    const left = this.#frameLimit === undefined ? Infinity : this.#frameLimit - this.#frameCount;
    if (result.output === undefined || result.frameCount <= left) return result;
    return stepResult({ ...result, output: sliceFrames(result.output, 0, left), frameCount: left });
  }

  async #write(result: StepResult): Promise<void> {
    for (const target of this.#options.outputs ?? []) {
      const wait = { what: "an output's write", kind: "output", code: ERROR_CODES.outputFailed } as const;
      const written = callNamed(this.#waits, wait, () => target.write(result));
      if (written !== undefined) await written;
    }
  }
}

/** A source without events that never ends: a run without one ends by its limits or with the rollout. */
function noInput(): UserInputSource {
  const empty = eventListSource({ events: [] });
  return { schema: empty.schema, read: (window) => empty.read(window) };
}

/** Frames to deliver, with a limit in seconds counted in frames. */
function frameLimitOf(options: Omit<PlannedBatch, "plan">, framesPerSecond: number): number | undefined {
  const { frameLimit, secondsLimit } = options;
  if (secondsLimit === undefined) return frameLimit;
  return Math.min(frameLimit ?? Infinity, Math.max(1, Math.round(secondsLimit * framesPerSecond)));
}
