import type { CanonicalizerState } from "../canonical/input-canonicalizer.ts";
import { DreamloopError, ERROR_CODES } from "../foundation/dreamloop-error.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import { callMapping } from "../mapping/input-mapping.ts";
import { FrameChecker } from "../model/frame-check.ts";
import type { InferenceRuntime, InferenceSession, RestoreOptions } from "../model/inference-session.ts";
import { modelInputs, type ModelInputs } from "../mapping/model-inputs.ts";
import { framesOfStep, type SessionDescription } from "../model/session-description.ts";
import type { StepRequest, StepRequestInput } from "../mapping/step-request.ts";
import type { StepResult, StepResultInput } from "../model/step-result.ts";
import type { TimeWindow } from "../foundation/time/time-window.ts";
import { UNLIMITED_WAITS, type Waits } from "../foundation/time/wait-guard.ts";
import type { Mapping } from "../foundation/validate/reader.ts";
import { freshInputState, type FreshInputState, type RunPlan } from "./run-plan.ts";
import { asStepError, completeResult, readRequest, readyInputs } from "./step-contract.ts";
import { closeNamed, discardQuietly, releaseQuietly, startSession } from "./session-calls.ts";
import type { RolloutOptions, RolloutSnapshot, StepOutcome } from "./rollout-types.ts";
import { STAGES, StageTimer } from "./stages.ts";

interface PendingCommit {
  readonly canonicalizerState: CanonicalizerState;
  readonly mappingState: unknown;
  readonly update: Mapping;
}

const NO_INPUTS = modelInputs();

/**
 * One session together with the state of its converters and its mapping. A step commits all of it together or none of it; the
 * drivers own the loop and the clock, this owns the transaction.
 */
export class Rollout {
  /** What the session delivers. */
  readonly description: SessionDescription;
  readonly #plan: RunPlan;
  readonly #session: InferenceSession;
  readonly #options: RolloutOptions;
  readonly #waits: Waits;
  readonly #timer: StageTimer;
  readonly #checker: FrameChecker | undefined;
  #requested: ModelInputs;
  #seed: number;
  #canonicalizerState: CanonicalizerState;
  #mappingState: unknown;
  #generation = 0;
  #stepIndex = 0;
  #stepNumber = 0;
  #pending: PendingCommit | undefined;
  #closing: Promise<void> | undefined;

  private constructor(
    plan: RunPlan,
    session: InferenceSession,
    description: SessionDescription,
    fresh: FreshInputState,
    options: RolloutOptions,
  ) {
    this.#plan = plan;
    this.#session = session;
    this.#options = options;
    this.#waits = options.waits ?? UNLIMITED_WAITS;
    this.#timer = new StageTimer(options.stages, options.clock);
    this.#checker = options.checkFrames === false ? undefined : new FrameChecker();
    this.#requested = plan.requestedInputs;
    this.#canonicalizerState = fresh.canonicalizerState;
    this.#mappingState = fresh.mappingState;
    this.#seed = plan.seed;
    this.description = description;
  }

  /** Starts a session of `runtime` for `plan`, whose fresh input state has been made by `freshInputState`. */
  static async start(
    plan: RunPlan,
    runtime: InferenceRuntime,
    fresh: FreshInputState,
    options: RolloutOptions = {},
  ): Promise<Rollout> {
    const inputs = fresh.initialInputs;
    const { session, description } = await startSession(
      runtime,
      inputs,
      { seed: plan.seed, signal: options.signal },
      options.waits ?? UNLIMITED_WAITS,
    );
    return new Rollout(plan, session, description, fresh, options);
  }

  /** Resets so far; stamped on every result. */
  get generation(): number {
    return this.#generation;
  }

  /** Index of the next step since the start or the last reset. */
  get stepIndex(): number {
    return this.#stepIndex;
  }

  /** Number of the next step over all generations. */
  get stepNumber(): number {
    return this.#stepNumber;
  }

  /** Seed of the current rollout. */
  get seed(): number {
    return this.#seed;
  }

  /** The initial inputs as asked for and amended by committed updates, before mapping. */
  get requestedInputs(): ModelInputs {
    return this.#requested;
  }

  /** Frames that the next step should deliver. */
  get nextFrames(): number {
    return framesOfStep(this.description, this.#stepIndex);
  }

  /** What the next step needs, or `undefined` when the rollout is complete. */
  nextRequest(): StepRequest | undefined {
    let asked: StepRequest | StepRequestInput | undefined;
    try {
      asked = this.#session.nextStepRequest();
    } catch (error) {
      throw asStepError(error, `the request of step ${this.#stepIndex}`);
    }
    return asked === undefined ? undefined : readRequest(asked, this.#stepIndex);
  }

  /**
   * Runs one step on the edges of `window`. On success the state is pending until `commit`; on failure everything is as before. Throws
   * `missing_input`, `update_refused`, `bad_frame`, `step_failed` or what the adapter threw as a `DreamloopError`.
   */
  async step(request: StepRequest, inputs: UserInputs, window: TimeWindow, signal?: AbortSignal): Promise<StepOutcome> {
    if (this.#pending !== undefined) {
      throw new DreamloopError(
        ERROR_CODES.invalidState,
        "Rollout.step: the step before is not committed; call commit() or discard() first",
      );
    }
    const plan = this.#plan;
    let mark = this.#timer.now();
    const converted = plan.canonicalizer.canonicalize(inputs, window, plan.sourceSchema, this.#canonicalizerState);
    const { canonical } = converted;
    mark = this.#timer.end(STAGES.canonicalize, this.#stepNumber, mark);
    const mapped = callMapping(plan.mapping, "mapStepInputs", () =>
      plan.mapping.mapStepInputs({ canonical, request, modelInputs: NO_INPUTS, state: this.#mappingState }),
    );
    const sessionInputs = readyInputs(
      plan.adapter.modelInputSchema,
      request,
      mapped.inputs,
      this.#options.onUpdateRefused,
    );
    mark = this.#timer.end(STAGES.map, this.#stepNumber, mark);
    const returned = await this.#runSession(sessionInputs, signal);
    mark = this.#timer.end(STAGES.model, this.#stepNumber, mark);
    try {
      const result = completeResult(returned, {
        stepIndex: this.#stepIndex,
        description: this.description,
        frameCount: this.nextFrames,
        generation: this.#generation,
        inputs,
        window,
      });
      this.#checkFrames(result);
      this.#timer.end(STAGES.check, this.#stepNumber, mark);
      this.#pending = { canonicalizerState: converted.state, mappingState: mapped.state, update: sessionInputs.update };
      return { result, modelInputs: sessionInputs, canonical };
    } catch (error) {
      discardQuietly(this.#session);
      releaseQuietly(returned);
      throw error;
    }
  }

  /** Finalises the step just returned and commits the state of session, mapping and converters; on failure all of it is dropped. */
  async commit(signal?: AbortSignal): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (this.#session.finalizeStep !== undefined) {
      const mark = this.#timer.now();
      try {
        await this.#waits.wait({ what: `the finalisation of step ${this.#stepIndex}`, kind: "step" }, () =>
          this.#session.finalizeStep?.({ signal }),
        );
      } catch (error) {
        this.#pending = undefined;
        discardQuietly(this.#session);
        throw asStepError(error, `the finalisation of step ${this.#stepIndex}`, ERROR_CODES.stepFailed, signal);
      }
      this.#timer.end(STAGES.finalize, this.#stepNumber, mark);
    }
    this.#pending = undefined;
    this.#canonicalizerState = pending.canonicalizerState;
    this.#mappingState = pending.mappingState;
    if (Object.keys(pending.update).length > 0) {
      this.#requested = modelInputs({ initial: { ...this.#requested.initial, ...pending.update } });
    }
    this.#stepIndex += 1;
    this.#stepNumber += 1;
  }

  /** Drops the step just returned as if it had not run. */
  discard(): void {
    if (this.#pending === undefined) return;
    this.#pending = undefined;
    discardQuietly(this.#session);
  }

  /**
   * Starts the rollout anew: next generation, step 0, fresh converter and mapping state, the seed kept unless one is given. Gives the
   * initial inputs of the new rollout after mapping.
   */
  async reset(
    options: { readonly seed?: number; readonly inputs?: ModelInputs; readonly signal?: AbortSignal } = {},
  ): Promise<ModelInputs> {
    this.discard();
    const seed = options.seed ?? this.#seed;
    const requested = options.inputs ?? this.#requested;
    const fresh = freshInputState(this.#plan, requested, seed);
    try {
      await this.#waits.wait({ what: "the reset", kind: "step" }, () =>
        this.#session.reset({ inputs: fresh.initialInputs, seed, signal: options.signal }),
      );
    } catch (error) {
      throw asStepError(error, "the reset", ERROR_CODES.stepFailed, options.signal);
    }
    this.#seed = seed;
    this.#requested = requested;
    this.#canonicalizerState = fresh.canonicalizerState;
    this.#mappingState = fresh.mappingState;
    this.#generation += 1;
    this.#stepIndex = 0;
    this.#checker?.reset();
    return fresh.initialInputs;
  }

  /** The complete state at this step boundary. Throws `unavailable` when the session has no snapshots. */
  async snapshot(): Promise<RolloutSnapshot> {
    const take = this.#session.snapshot?.bind(this.#session);
    if (take === undefined) {
      throw new DreamloopError(
        ERROR_CODES.unavailable,
        `world ${JSON.stringify(this.description.worldId)} has no snapshots`,
      );
    }
    if (this.#pending !== undefined) {
      throw new DreamloopError(
        ERROR_CODES.invalidState,
        "Rollout.snapshot: a step is not committed; snapshots are taken at step boundaries",
      );
    }
    const session = await this.#waits.wait({ what: "the snapshot", kind: "step" }, async () => take());
    return {
      generation: this.#generation,
      stepIndex: this.#stepIndex,
      stepNumber: this.#stepNumber,
      seed: this.#seed,
      initial: this.#requested.initial,
      canonicalizerState: this.#canonicalizerState,
      mappingState: this.#mappingState,
      session,
    };
  }

  /**
   * Continues from a snapshot of the same world and configuration, with another seed where one is given. Throws `unavailable` when the session
   * has no snapshots, and what the session refuses; the rollout is then as it was.
   */
  async restore(snapshot: RolloutSnapshot, options: RestoreOptions = {}): Promise<void> {
    if (this.#session.restore === undefined) {
      throw new DreamloopError(
        ERROR_CODES.unavailable,
        `world ${JSON.stringify(this.description.worldId)} has no snapshots`,
      );
    }
    this.discard();
    try {
      await this.#waits.wait({ what: "the restoration of a snapshot", kind: "step" }, async () =>
        this.#session.restore?.(snapshot.session, options),
      );
    } catch (error) {
      throw asStepError(error, "the restoration of a snapshot");
    }
    this.#generation = snapshot.generation;
    this.#stepIndex = snapshot.stepIndex;
    this.#stepNumber = snapshot.stepNumber;
    this.#seed = options.seed ?? snapshot.seed;
    this.#requested = modelInputs({ initial: snapshot.initial });
    this.#canonicalizerState = snapshot.canonicalizerState;
    this.#mappingState = snapshot.mappingState;
    this.#checker?.reset();
  }

  /** Counts on from other numbers than those of the snapshot that was restored: a rewind is a new generation of the same run. */
  continueAs(counters: { readonly generation: number; readonly stepNumber: number }): void {
    this.#generation = counters.generation;
    this.#stepNumber = counters.stepNumber;
  }

  /** Closes the session; idempotent. */
  close(): Promise<void> {
    this.#closing ??= closeNamed(this.#session, "the close of the session", this.#waits);
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #runSession(inputs: ModelInputs, signal: AbortSignal | undefined): Promise<StepResult | StepResultInput> {
    try {
      return await this.#waits.wait(
        {
          what: `step ${this.#stepIndex}`,
          kind: "step",
          free: (late: StepResult | StepResultInput) => late.output?.release?.(),
        },
        () => this.#session.step(inputs, { signal }),
      );
    } catch (error) {
      throw asStepError(error, `step ${this.#stepIndex}`, ERROR_CODES.stepFailed, signal);
    }
  }

  #checkFrames(result: StepResult): void {
    if (this.#checker === undefined || result.output === undefined) return;
    const { warnings } = this.#checker.check(result.output);
    for (const warning of warnings) this.#options.onFrameWarning?.(warning, result);
  }
}
