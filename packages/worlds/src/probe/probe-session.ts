import {
  DreamloopError,
  ERROR_CODES,
  FramePool,
  framesOfStep,
  throwIfCancelled,
  type FrameLoan,
  type InferenceSession,
  type ModelInputs,
  type PixelData,
  type ResetOptions,
  type RestoreOptions,
  type SessionDescription,
  type SessionSnapshot,
  type StepOptions,
  type StepRequestInput,
  type StepResultInput,
} from "@dreamloop/core";
import { readControls, readPrompt, type ProbeControls } from "./controls.ts";
import type { FramePainter } from "./paint/frame-painter.ts";
import { allocateChunk, chunkLength, isPackedRgb, placeFrame, type ChunkShape } from "./pixel-layouts.ts";
import type { ProbeOptions } from "./probe-options.ts";
import { moveFrame, probeSnapshot, startState, stateOfSnapshot, takeControls, type ProbeState } from "./state.ts";
import type { StepCost } from "./step-cost.ts";
import { actionBits } from "./strip/strip-values.ts";

/** What the sessions of a runtime share; none of it changes. */
export interface ProbeSessionContext {
  /** The runtime options. */
  readonly options: ProbeOptions;
  /** What sessions deliver. */
  readonly description: SessionDescription;
  /** Paints frames. */
  readonly painter: FramePainter;
  /** How simulated time passes. */
  readonly cost: StepCost;
  /** Says which snapshots fit. */
  readonly configuration: string;
  /** Told once when the session is closed. */
  readonly onClose: () => void;
}

const NEUTRAL_CONTROLS: ProbeControls = readControls({});

/** One rollout of the probe world. Its whole state is one immutable value, replaced when a step has succeeded. */
export class ProbeSession implements InferenceSession {
  readonly #context: ProbeSessionContext;
  readonly #pool: FramePool;
  readonly #instantChunks = new Map<number, PixelData>();
  /** One packed frame, for formats that cannot be painted in place. */
  #scratch: Uint8Array | undefined;
  #state: ProbeState;
  /** The state before the last step, while that may still be discarded. */
  #before: ProbeState | undefined;
  /** The state after the last step, while it waits for `finalizeStep`. */
  #pending: ProbeState | undefined;
  #hasFailed = false;
  #isClosed = false;
  readonly finalizeStep?: (options: StepOptions) => void | Promise<void>;

  /** Starts a rollout; refuses a prompt that is no string. */
  constructor(context: ProbeSessionContext, inputs: ModelInputs, seed: number) {
    this.#context = context;
    this.#pool = new FramePool(context.description.format);
    const prompt = readPrompt(inputs.initial.prompt, "ModelInputs.initial.prompt");
    this.#state = startState({ generation: 0, seed, prompt });
    if (context.options.finalize) this.finalizeStep = (options) => this.#finalize(options);
  }

  /** The next step's index, or nothing once `stepLimit` is reached. */
  nextStepRequest(): StepRequestInput | undefined {
    this.#requireOpen("nextStepRequest");
    const { stepLimit = Infinity } = this.#context.options;
    const { stepIndex } = this.#state;
    return stepIndex >= stepLimit ? undefined : { stepIndex };
  }

  /** Runs one step: at once, or after the simulated cost. */
  step(inputs: ModelInputs, { signal }: StepOptions): StepResultInput | Promise<StepResultInput> {
    this.#requireOpen("step");
    if (this.#pending !== undefined) this.#refuseOrder("step", "the last step is neither finalised nor discarded");
    if (this.nextStepRequest() === undefined) this.#refuseOrder("step", "the rollout is complete");
    throwIfCancelled(signal, "ProbeSession.step");
    const controls = readControls(inputs.step);
    const amended = readPrompt(inputs.update.prompt, "ModelInputs.update.prompt");
    const prompt = inputs.update.prompt === undefined ? this.#state.prompt : (amended ?? null);
    const { stepTimeSeconds } = this.#context.options;
    if (stepTimeSeconds === 0) return this.#run(controls, prompt);
    return this.#spend(stepTimeSeconds, signal).then(() => {
      throwIfCancelled(signal, "ProbeSession.step");
      this.#requireOpen("step");
      return this.#run(controls, prompt);
    });
  }

  /** Drops the step just returned; without one it does nothing. */
  discardStep(): void {
    this.#pending = undefined;
    if (this.#before !== undefined) this.#state = this.#before;
    this.#before = undefined;
  }

  /** Starts anew, one generation on, with the prompt as amended unless inputs are given. */
  reset({ inputs, seed, signal }: ResetOptions): void {
    this.#requireOpen("reset");
    throwIfCancelled(signal, "ProbeSession.reset");
    const { generation, seed: oldSeed, prompt: oldPrompt } = this.#state;
    const prompt = inputs === undefined ? oldPrompt : readPrompt(inputs.initial.prompt, "ModelInputs.initial.prompt");
    this.#state = startState({ generation: generation + 1, seed: seed ?? oldSeed, prompt: prompt ?? undefined });
    this.#before = undefined;
    this.#pending = undefined;
  }

  /** The complete state; refused while a step waits for `finalizeStep`. */
  snapshot(): SessionSnapshot {
    this.#requireOpen("snapshot");
    if (this.#pending !== undefined) this.#refuseOrder("snapshot", "the last step is neither finalised nor discarded");
    return probeSnapshot(this.#state, this.#context.configuration);
  }

  /** Continues from a snapshot of the same configuration. */
  restore(snapshot: SessionSnapshot, { seed }: RestoreOptions = {}): void {
    this.#requireOpen("restore");
    const state = stateOfSnapshot(snapshot, this.#context.configuration);
    this.#state = seed === undefined ? state : { ...state, seed };
    this.#before = undefined;
    this.#pending = undefined;
  }

  /** Frees the buffers; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#pool.close();
    this.#instantChunks.clear();
    this.#context.onClose();
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #run(controls: ProbeControls, prompt: string | null): StepResultInput {
    const { options, description } = this.#context;
    const before = this.#state;
    const frameCount = framesOfStep(description, before.stepIndex);
    const begun = takeControls(before, controls, prompt);
    const { width, height, format, layout, colorSpace, range } = description;
    let chunk: FrameLoan | undefined;
    let after: ProbeState;
    let data: PixelData;
    if (options.instant) {
      this.#failWhenPlanned(before.stepIndex, 0);
      data = this.#instantChunk(frameCount);
      after = { ...begun, frameIndex: begun.frameIndex + frameCount };
    } else {
      const shape = { format, layout, frameCount, framePixels: width * height };
      chunk = this.#pool.take(chunkLength(shape));
      data = chunk.data;
      try {
        after = this.#paint(data, shape, begun, controls);
      } catch (error) {
        chunk.release();
        throw error;
      }
      if (options.nanAtStep === before.stepIndex) data[data.length - 1] = Number.NaN;
    }
    this.#commit({ ...after, stepIndex: before.stepIndex + 1 });
    return {
      stepIndex: before.stepIndex,
      output: {
        ...{ width, height, frameCount, format, layout, colorSpace, range, data },
        ...(chunk === undefined ? {} : { release: chunk.release }),
      },
      metadata: {
        frameIndex: before.frameIndex,
        heldBits: actionBits(controls.actions.held),
        pressCount: begun.pressCount,
        inputSequence: controls.inputSequence ?? null,
      },
    };
  }

  #paint(data: PixelData, shape: ChunkShape, begun: ProbeState, controls: ProbeControls): ProbeState {
    const { painter, description } = this.#context;
    const { stepIndex } = begun;
    const frameBytes = shape.framePixels * 3;
    const inPlace = isPackedRgb(shape);
    const scratch = inPlace ? undefined : (this.#scratch ??= new Uint8Array(frameBytes));
    let state = begun;
    for (let frame = 0; frame < shape.frameCount; frame += 1) {
      this.#failWhenPlanned(stepIndex, frame);
      state = moveFrame(state, controls, 1 / description.framesPerSecond);
      const target = scratch ?? (data as Uint8Array).subarray(frame * frameBytes, (frame + 1) * frameBytes);
      painter.paint(target, state, controls);
      if (scratch !== undefined) placeFrame(scratch, frame, data, shape);
      state = { ...state, frameIndex: state.frameIndex + 1 };
    }
    this.#failWhenPlanned(stepIndex, shape.frameCount);
    return state;
  }

  #commit(after: ProbeState): void {
    if (this.finalizeStep === undefined) {
      this.#before = this.#state;
      this.#state = after;
    } else {
      this.#before = undefined;
      this.#pending = after;
    }
  }

  #finalize({ signal }: StepOptions): void | Promise<void> {
    this.#requireOpen("finalizeStep");
    const pending = this.#pending;
    if (pending === undefined) this.#refuseOrder("finalizeStep", "no step waits for it");
    const end = (): void => {
      throwIfCancelled(signal, "ProbeSession.finalizeStep");
      this.#requireOpen("finalizeStep");
      this.#state = pending;
      this.#pending = undefined;
    };
    const { finalizeTimeSeconds } = this.#context.options;
    if (finalizeTimeSeconds === 0) return end();
    return this.#spend(finalizeTimeSeconds, signal).then(end);
  }

  async #spend(durationSeconds: number, signal: AbortSignal | undefined): Promise<void> {
    const { cost, options } = this.#context;
    if (options.blocking) cost.block(durationSeconds);
    else await cost.wait(durationSeconds, signal);
  }

  /** A chunk that was painted once; it is never written again, so that all results may share it. */
  #instantChunk(frameCount: number): PixelData {
    let data = this.#instantChunks.get(frameCount);
    if (data === undefined) {
      const { width, height, format, layout } = this.#context.description;
      const shape = { format, layout, frameCount, framePixels: width * height };
      data = allocateChunk(shape);
      const rgb = new Uint8Array(shape.framePixels * 3);
      for (let frame = 0; frame < frameCount; frame += 1) {
        this.#context.painter.paint(rgb, { ...this.#state, frameIndex: frame, stepIndex: 0 }, NEUTRAL_CONTROLS);
        placeFrame(rgb, frame, data, shape);
      }
      this.#instantChunks.set(frameCount, data);
    }
    return data;
  }

  #failWhenPlanned(stepIndex: number, paintedFrames: number): void {
    const { failAtStep, failAfterFrames } = this.#context.options;
    if (this.#hasFailed || stepIndex !== failAtStep || paintedFrames !== failAfterFrames) return;
    this.#hasFailed = true;
    throw new DreamloopError(
      ERROR_CODES.stepFailed,
      `ProbeSession.step: step ${stepIndex} fails after ${paintedFrames} frame(s), as runtimeOptions.failAtStep asks`,
    );
  }

  #requireOpen(method: string): void {
    if (!this.#isClosed) return;
    throw new DreamloopError(ERROR_CODES.closed, `ProbeSession.${method}: the session is closed; start a new one`);
  }

  #refuseOrder(method: string, why: string): never {
    throw new DreamloopError(ERROR_CODES.invalidState, `ProbeSession.${method}: ${why}`);
  }
}
