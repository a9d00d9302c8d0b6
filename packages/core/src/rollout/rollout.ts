import type { CanonicalInputs } from "../canonical/canonical-inputs.ts";
import type { CanonicalizerState } from "../canonical/input-canonicalizer.ts";
import { DreamloopError, ERROR_CODES, isDreamloopError } from "../errors/dreamloop-error.ts";
import type { UserInputs } from "../inputs/user-inputs.ts";
import { readMappedInputs } from "../mapping/input-mapping.ts";
import { FrameChecker, type FrameWarning } from "../model/frame-check.ts";
import type { InferenceRuntime, InferenceSession, SessionSnapshot } from "../model/inference-session.ts";
import { modelInputs, type ModelInputs } from "../model/model-inputs.ts";
import { framesOfStep, sessionDescription, type SessionDescription } from "../model/session-description.ts";
import {
  stepRequest,
  stepResult,
  type StepRequest,
  type StepRequestInput,
  type StepResult,
  type StepResultInput,
} from "../model/step-request.ts";
import type { Clock } from "../time/clock.ts";
import type { TimeWindow } from "../time/time-window.ts";
import type { Mapping } from "../validate/reader.ts";
import { freshInputState, type FreshInputState, type RunPlan } from "./run-plan.ts";
import { STAGES, type Stage, type StageListener } from "./stages.ts";

/** How a rollout is watched and checked. */
export interface RolloutOptions {
  /** Whether frames are checked; default true. */
  readonly checkFrames?: boolean;
  /** Told about the stages of each step; needs `clock`. */
  readonly stages?: StageListener;
  /** The driver's clock, for `stages`. */
  readonly clock?: Clock;
  /** Told about frames that look odd. */
  readonly onFrameWarning?: (warning: FrameWarning, result: StepResult) => void;
  /** Told about updates that the model refuses, which are then left out; absent: such a step fails with `update_refused`. */
  readonly onUpdateRefused?: (fields: readonly string[]) => void;
  /** Cancels the start. */
  readonly signal?: AbortSignal;
}

/** What one step gave, before it is committed. */
export interface StepOutcome {
  /** The result, complete with window, generation and input sequence. */
  readonly result: StepResult;
  /** What the session received. */
  readonly modelInputs: ModelInputs;
  /** The canonical values behind it. */
  readonly canonical: CanonicalInputs;
}

/** The complete state of a session at a step boundary; structured-cloneable. */
export interface RolloutSnapshot {
  /** Resets so far. */
  readonly generation: number;
  /** Steps since the start or the last reset. */
  readonly stepIndex: number;
  /** Steps over all generations. */
  readonly stepNumber: number;
  /** Seed of the current rollout. */
  readonly seed: number;
  /** Initial inputs as asked for and amended by committed updates. */
  readonly initial: Mapping;
  /** State of the converters. */
  readonly canonicalizerState: CanonicalizerState;
  /** State of the mapping. */
  readonly mappingState: unknown;
  /** State of the model session. */
  readonly session: SessionSnapshot;
}

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
    const session = await runtime.startSession(fresh.initialInputs, { seed: plan.seed, signal: options.signal });
    try {
      const description = sessionDescription(runtime.describe());
      return new Rollout(plan, session, description, fresh, options);
    } catch (error) {
      await session.close();
      throw error;
    }
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
    const asked: StepRequest | StepRequestInput | undefined = this.#session.nextStepRequest();
    return asked === undefined ? undefined : stepRequest(asked);
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
    let mark = this.#now();
    const converted = plan.canonicalizer.canonicalize(inputs, window, plan.sourceSchema, this.#canonicalizerState);
    const { canonical } = converted;
    mark = this.#stage(STAGES.canonicalize, mark);
    const mapped = readMappedInputs(
      plan.mapping,
      "mapStepInputs",
      plan.mapping.mapStepInputs({ canonical, request, modelInputs: NO_INPUTS, state: this.#mappingState }),
    );
    const sessionInputs = this.#checkInputs(request, mapped.inputs);
    mark = this.#stage(STAGES.map, mark);
    const returned = await this.#runSession(sessionInputs, signal);
    mark = this.#stage(STAGES.model, mark);
    try {
      const result = this.#complete(request, returned, inputs, window);
      this.#checkFrames(result);
      this.#stage(STAGES.check, mark);
      this.#pending = { canonicalizerState: converted.state, mappingState: mapped.state, update: sessionInputs.update };
      return { result, modelInputs: sessionInputs, canonical };
    } catch (error) {
      this.#session.discardStep?.();
      throw error;
    }
  }

  /** Finalises the step just returned and commits the state of session, mapping and converters; on failure all of it is dropped. */
  async commit(signal?: AbortSignal): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (this.#session.finalizeStep !== undefined) {
      const mark = this.#now();
      try {
        await this.#session.finalizeStep({ signal });
      } catch (error) {
        this.discard();
        throw asStepError(error, `the finalisation of step ${this.#stepIndex}`);
      }
      this.#stage(STAGES.finalize, mark);
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
    this.#session.discardStep?.();
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
    await this.#session.reset({ inputs: fresh.initialInputs, seed, signal: options.signal });
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
    if (this.#session.snapshot === undefined) {
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
    const session = await this.#session.snapshot();
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

  /** Continues from a snapshot of the same world and configuration. Throws `unavailable` when the session has no snapshots. */
  async restore(snapshot: RolloutSnapshot): Promise<void> {
    if (this.#session.restore === undefined) {
      throw new DreamloopError(
        ERROR_CODES.unavailable,
        `world ${JSON.stringify(this.description.worldId)} has no snapshots`,
      );
    }
    this.discard();
    await this.#session.restore(snapshot.session);
    this.#generation = snapshot.generation;
    this.#stepIndex = snapshot.stepIndex;
    this.#stepNumber = snapshot.stepNumber;
    this.#seed = snapshot.seed;
    this.#requested = modelInputs({ initial: snapshot.initial });
    this.#canonicalizerState = snapshot.canonicalizerState;
    this.#mappingState = snapshot.mappingState;
    this.#checker?.reset();
  }

  /** Closes the session; idempotent. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#session.close());
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The inputs as the session receives them: complete, without updates that the model refuses. */
  #checkInputs(request: StepRequest, inputs: ModelInputs): ModelInputs {
    const schema = this.#plan.adapter.modelInputSchema;
    (request.modelInputSchema ?? schema).requireStep(inputs);
    const refused = schema.refusedUpdates(inputs);
    if (refused.length === 0) return inputs;
    if (this.#options.onUpdateRefused === undefined) {
      throw new DreamloopError(
        ERROR_CODES.updateRefused,
        `ModelInputs.update: ${refused.map((name) => JSON.stringify(name)).join(", ")} can only be given when a session starts or is reset`,
        { details: { fields: refused } },
      );
    }
    this.#options.onUpdateRefused(refused);
    return inputs.withUpdate(
      Object.fromEntries(Object.entries(inputs.update).filter(([name]) => !refused.includes(name))),
    );
  }

  async #runSession(inputs: ModelInputs, signal: AbortSignal | undefined): Promise<StepResult | StepResultInput> {
    try {
      return await this.#session.step(inputs, { signal });
    } catch (error) {
      throw asStepError(error, `step ${this.#stepIndex}`);
    }
  }

  #complete(
    request: StepRequest,
    returned: StepResult | StepResultInput,
    inputs: UserInputs,
    window: TimeWindow,
  ): StepResult {
    const sequence = inputs.metadata.inputSequence;
    const result = stepResult({
      ...returned,
      outputWindow: window,
      generation: this.#generation,
      ...(typeof sequence === "number" ? { inputSequence: sequence } : {}),
    });
    if (result.stepIndex !== request.stepIndex || result.stepIndex !== this.#stepIndex) {
      throw new DreamloopError(
        ERROR_CODES.stepFailed,
        `StepResult.stepIndex: expected ${this.#stepIndex} (requested ${request.stepIndex}), found ${result.stepIndex}`,
      );
    }
    return result;
  }

  #checkFrames(result: StepResult): void {
    if (this.#checker === undefined || result.output === undefined) return;
    const { warnings } = this.#checker.check(result.output);
    for (const warning of warnings) this.#options.onFrameWarning?.(warning, result);
  }

  #now(): number {
    return this.#options.stages === undefined ? 0 : (this.#options.clock?.nowSeconds() ?? 0);
  }

  #stage(stage: Stage, startSeconds: number): number {
    if (this.#options.stages === undefined) return 0;
    const endSeconds = this.#now();
    this.#options.stages.stage(stage, this.#stepNumber, startSeconds, endSeconds);
    return endSeconds;
  }
}

function asStepError(error: unknown, what: string): DreamloopError {
  if (isDreamloopError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new DreamloopError(ERROR_CODES.stepFailed, `${what} failed: ${message}`, { cause: error });
}
