import {
  DreamloopError,
  ERROR_CODES,
  type InferenceSession,
  type ModelInputs,
  type ResetOptions,
  type RestoreOptions,
  type RuntimeMetricSampleInput,
  type SessionSnapshot,
  type StepOptions,
  type StepRequestInput,
  type StepResultInput,
  throwIfCancelled,
  type VideoChunkInput,
} from "@dreamloop/core";
import { elementCount, floatsOf, isFloatDtype, type Tensor } from "../manifest/tensor.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";
import { neutralTensor } from "../plan/control-mapping.ts";
import { REFUSED_PROMPTS } from "./initial-encoder.ts";
import { type GraphTimes, refuseBrokenState, runItems } from "./item-runner.ts";
import { rawTensor } from "./raw-tensor.ts";
import {
  type AmendedInputs,
  amendInputs,
  type PromptReports,
  type RolloutState,
  startBundleRollout,
} from "./rollout-state.ts";
import { RunScope } from "./run-scope.ts";
import type { SessionWorld } from "./session-world.ts";
import { readSnapshot, takeSnapshot } from "./snapshot.ts";

interface PendingStep {
  readonly scope: RunScope;
  readonly amended: AmendedInputs;
}

/**
 * One rollout of a bundle. Its state (caches, replaced tensors, prompt values, step counter) belongs to it alone; a step
 * writes into a scope of its own, which `finalizeStep` commits as a whole.
 */
export class BundleSession implements InferenceSession {
  readonly #world: SessionWorld;
  readonly #onClose: () => void;
  #state: RolloutState | undefined;
  #startReports: PromptReports;
  #pending: PendingStep | undefined;
  /** Timings of a finalisation, told with the next step, as its own result is gone by then. */
  #lateTimes: GraphTimes = new Map();

  private constructor(world: SessionWorld, state: RolloutState, reports: PromptReports, onClose: () => void) {
    this.#world = world;
    this.#state = state;
    this.#startReports = reports;
    this.#onClose = onClose;
  }

  /** Starts a rollout; `onClose` is called once when the session is closed. */
  static async start(
    world: SessionWorld,
    inputs: ModelInputs,
    options: { readonly seed: number; readonly signal?: AbortSignal | undefined; readonly onClose: () => void },
  ): Promise<BundleSession> {
    const { seed, signal, onClose } = options;
    const { state, reports } = await startBundleRollout(world, { given: inputs.initial, seed, signal });
    return new BundleSession(world, state, reports, onClose);
  }

  /** What the next step needs; nothing when a cache that keeps everything is full. */
  nextStepRequest(): StepRequestInput | undefined {
    const { states, stepIndex } = this.#open();
    const { manifest } = this.#world;
    const { framesPerStep, firstStepFrames = framesPerStep } = manifest.video;
    for (const [name, cache] of states.caches) {
      const declared = manifest.state[name];
      const perFrame = declared?.update === "append" ? declared.entriesPerFrame : 1;
      if (cache.isCompleteBefore(perFrame * (stepIndex === 0 ? firstStepFrames : framesPerStep))) return undefined;
    }
    return { stepIndex };
  }

  /** Runs the items of one step and returns its frames; nothing is committed before `finalizeStep`. */
  async step(inputs: ModelInputs, { signal }: StepOptions): Promise<StepResultInput> {
    const world = this.#world;
    const state = this.#open();
    if (this.#pending !== undefined) {
      throw new DreamloopError(
        ERROR_CODES.invalidState,
        "InferenceSession.step: the step before is not committed; call finalizeStep() or discardStep() first",
      );
    }
    throwIfCancelled(signal, "the step");
    const times: GraphTimes = new Map(this.#lateTimes);
    const amended = await amendInputs(world, state, { update: inputs.update, times, signal });
    const { seed, stepIndex, states } = state;
    const scope = new RunScope({
      world,
      initial: amended.initial,
      held: amended.held,
      states,
      stepInputs: stepTensors(world, inputs),
      seed,
      stepIndex,
      isStart: false,
    });
    const items = stepIndex === 0 ? world.plan.firstStep : world.plan.step;
    await runItems(items, { world, scope, times, signal });
    throwIfCancelled(signal, "the step");
    this.#open();
    const output = framesChunk(world.manifest, stepIndex, scope.frames);
    const reports = {
      ...this.#startReports,
      ...amended.reports,
      ...(inputs.metadata[REFUSED_PROMPTS] as PromptReports | undefined),
    };
    this.#pending = { scope, amended };
    return {
      stepIndex,
      output,
      metadata: Object.keys(reports).length === 0 ? {} : { prompts: reports },
      metrics: [...timingMetrics(times, stepIndex), ...promptMetrics(reports, stepIndex)],
    };
  }

  /** Runs the items that write what is kept of the step, then commits all of it together. */
  async finalizeStep({ signal }: StepOptions): Promise<void> {
    const state = this.#open();
    const pending = this.#pending;
    if (pending === undefined) return;
    const { scope, amended } = pending;
    const world = this.#world;
    const times: GraphTimes = new Map();
    try {
      const items = state.stepIndex === 0 ? world.plan.firstFinalize : world.plan.finalize;
      await runItems(items, { world, scope, times, signal });
      throwIfCancelled(signal, "the finalisation of the step");
      refuseBrokenState(scope.stateWrites);
    } catch (error) {
      this.#pending = undefined;
      throw error;
    }
    if (this.#pending !== pending) return;
    state.states.commit(scope.stateWrites);
    this.#state = { ...state, ...amendedState(amended), stepIndex: state.stepIndex + 1 };
    this.#lateTimes = times;
    this.#startReports = {};
    this.#pending = undefined;
  }

  /** Drops the step just returned as if it had not run. */
  discardStep(): void {
    this.#pending = undefined;
  }

  /** Starts the rollout anew; when that fails, the old one goes on. */
  async reset({ inputs, seed, signal }: ResetOptions): Promise<void> {
    const state = this.#open();
    const given = inputs?.initial ?? state.given;
    const started = await startBundleRollout(this.#world, { given, seed: seed ?? state.seed, signal });
    this.#open();
    this.#pending = undefined;
    this.#state = started.state;
    this.#startReports = started.reports;
    this.#lateTimes = new Map();
  }

  /** A copy of the complete state. */
  snapshot(): SessionSnapshot {
    const state = this.#open();
    if (this.#pending !== undefined) {
      throw new DreamloopError(ERROR_CODES.invalidState, "InferenceSession.snapshot: a step is not committed yet");
    }
    return takeSnapshot(this.#world, state);
  }

  /** Continues from a copy of the complete state. */
  restore(snapshot: SessionSnapshot, { seed }: RestoreOptions = {}): void {
    this.#open();
    const read = readSnapshot(this.#world, snapshot);
    const restored = seed === undefined ? read : { ...read, seed };
    this.#pending = undefined;
    this.#state = restored;
    this.#startReports = {};
    this.#lateTimes = new Map();
  }

  /** Lets go of all memory; idempotent. */
  close(): void {
    if (this.#state === undefined) return;
    this.#state = undefined;
    this.#pending = undefined;
    this.#onClose();
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #open(): RolloutState {
    if (this.#state !== undefined) return this.#state;
    throw new DreamloopError(ERROR_CODES.closed, "InferenceSession: used after it was closed; start a new session");
  }
}

function amendedState({ given, initial, held }: AmendedInputs): Pick<RolloutState, "given" | "initial" | "held"> {
  return { given, initial, held };
}

function stepTensors(world: SessionWorld, inputs: ModelInputs): ReadonlyMap<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  for (const [name, declaration] of Object.entries(world.manifest.inputs.step)) {
    const path = `ModelInputs.step.${name}`;
    const value = inputs.step[name];
    const tensor = value === undefined ? neutralTensor(declaration) : rawTensor(declaration, value, path);
    if (tensor === undefined)
      throw new DreamloopError(ERROR_CODES.missingInput, `${path}: expected a value, found nothing`);
    tensors.set(name, tensor);
  }
  return tensors;
}

/** The frames of a step as a chunk that says everything about itself; the data are passed on by reference. */
function framesChunk(manifest: WorldManifest, stepIndex: number, frames: Tensor | undefined): VideoChunkInput {
  const { width, height, layout, range, colorSpace, framesPerStep, firstStepFrames } = manifest.video;
  const frameCount = stepIndex === 0 ? (firstStepFrames ?? framesPerStep) : framesPerStep;
  const expected = frameCount * width * height * 3;
  if (frames === undefined || elementCount(frames.shape) !== expected) {
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `step ${stepIndex}: expected ${expected} values for ${frameCount} frame(s), found ${frames?.data.length ?? "no frames"}`,
    );
  }
  const shared = { width, height, frameCount, layout, colorSpace };
  if (isFloatDtype(frames.dtype)) {
    return { ...shared, format: "rgbf32", range: range === "signed" ? "signed" : "unit", data: floatsOf(frames) };
  }
  return { ...shared, format: "rgb8", range: "full", data: frames.data as Uint8Array };
}

/** How long each graph took: `graph.NAME` in seconds, all its calls of a step together. */
function timingMetrics(times: GraphTimes, stepIndex: number): readonly RuntimeMetricSampleInput[] {
  return [...times].map(([name, value]) => ({ name: `graph.${name}`, value, stepIndex, category: "timing" }));
}

/** How many words of a prompt did not arrive. */
function promptMetrics(reports: PromptReports, stepIndex: number): readonly RuntimeMetricSampleInput[] {
  return Object.entries(reports).map(([name, report]) => ({
    name: "prompt.unknown_words",
    value: report.unknownWords.length + report.cutWords.length,
    unit: "words",
    stepIndex,
    category: "quality",
    metadata: { input: name, unknownWords: report.unknownWords, cutWords: report.cutWords, applied: report.applied },
  }));
}
