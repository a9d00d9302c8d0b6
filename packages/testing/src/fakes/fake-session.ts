import {
  DreamloopError,
  ERROR_CODES,
  framesOfStep,
  randomStream,
  throwIfCancelled,
  type InferenceSession,
  type ModelInputs,
  type ResetOptions,
  type RestoreOptions,
  type SessionDescription,
  type SessionSnapshot,
  type StepOptions,
  type StepRequestInput,
  type StepResultInput,
} from "@dreamloop/core";
import { closedError, FAILURE_POINTS } from "./failure-plan.ts";
import type { FakeWorldCounts, ResolvedFakeWorldOptions } from "./fake-world.ts";

/** Everything that a step may change: what a snapshot holds. */
interface FakeState {
  readonly stepIndex: number;
  /** Sum of all actions so far, so that a lost or repeated step shows in every later frame. */
  readonly total: number;
  readonly prompt: string;
  readonly seed: number;
  readonly initial: ModelInputs["initial"];
}

/** What the fake session needs from its world. */
export interface FakeSessionContext {
  /** The world's options with defaults. */
  readonly options: ResolvedFakeWorldOptions;
  /** What sessions deliver. */
  readonly description: SessionDescription;
  /** The world's counters. */
  readonly counts: FakeWorldCounts;
}

/** A session whose every pixel depends on all inputs since the start. See `fakeWorld`. */
export class FakeSession implements InferenceSession {
  readonly #context: FakeSessionContext;
  #state: FakeState;
  #pending: FakeState | undefined;
  #closed = false;
  readonly finalizeStep?: (options: StepOptions) => Promise<void>;
  readonly discardStep?: () => void;
  readonly snapshot?: () => SessionSnapshot;
  readonly restore?: (snapshot: SessionSnapshot, options?: RestoreOptions) => void;

  /** Starts a rollout. */
  constructor(context: FakeSessionContext, inputs: ModelInputs, seed: number) {
    this.#context = context;
    this.#state = startState(inputs.initial, seed);
    context.counts.openSessions += 1;
    if (context.options.finalizes) {
      this.finalizeStep = (options) => this.#finalize(options);
      this.discardStep = () => this.#discard();
    }
    if (context.options.snapshots) {
      this.snapshot = () => this.#takeSnapshot();
      this.restore = (snapshot, options) => this.#restoreSnapshot(snapshot, options);
    }
  }

  /** Whether it was closed. */
  get isClosed(): boolean {
    return this.#closed;
  }

  /** The next step's index and wished window, or nothing after `stepCount` steps. */
  nextStepRequest(): StepRequestInput | undefined {
    this.#requireOpen("nextStepRequest");
    this.#context.options.failures.pass(FAILURE_POINTS.nextStepRequest);
    const { stepIndex } = this.#state;
    if (stepIndex >= this.#context.options.stepCount) return undefined;
    const { description } = this.#context;
    const stepSeconds = description.framesPerStep / description.framesPerSecond;
    const firstSeconds = description.firstStepFrames / description.framesPerSecond;
    const startSeconds = stepIndex === 0 ? 0 : firstSeconds + (stepIndex - 1) * stepSeconds;
    const endSeconds = firstSeconds + stepIndex * stepSeconds;
    return { stepIndex, userInputWindow: { startSeconds, endSeconds } };
  }

  /** One step: red holds the sum of the actions, green the action, blue the frame's place in the rollout and the prompt. */
  async step(inputs: ModelInputs, options: StepOptions): Promise<StepResultInput> {
    this.#requireOpen("step");
    if (this.#pending !== undefined) {
      throw new DreamloopError(ERROR_CODES.invalidState, "FakeSession.step: the last step is not finalised");
    }
    const { options: world, counts, description } = this.#context;
    const before = this.#state;
    world.log.push(`session.step ${before.stepIndex}`);
    await this.#wait(world.stepSeconds, options.signal);
    throwIfCancelled(options.signal, "FakeSession.step");
    const action = typeof inputs.step.action === "number" ? inputs.step.action : 0;
    const prompt = typeof inputs.update.prompt === "string" ? inputs.update.prompt : before.prompt;
    const noise = randomStream({ seed: before.seed, step: before.stepIndex, subStep: 0, stream: 0 }).nextInteger(256);
    const total = before.total + action + noise;
    world.failures.pass(FAILURE_POINTS.step);
    const initial = "prompt" in inputs.update ? Object.freeze({ ...before.initial, prompt }) : before.initial;
    const after: FakeState = { ...before, stepIndex: before.stepIndex + 1, total, prompt, initial };
    if (this.finalizeStep === undefined) this.#state = after;
    else this.#pending = after;

    const frameCount = framesOfStep(description, before.stepIndex);
    const pixels = description.width * description.height;
    const isFloat = description.format === "rgbf32";
    const data = isFloat ? new Float32Array(pixels * 3 * frameCount) : new Uint8Array(pixels * 3 * frameCount);
    const scale = isFloat ? 1 / 255 : 1;
    for (let pixel = 0; pixel < pixels * frameCount; pixel += 1) {
      const frame = Math.floor(pixel / pixels);
      data[pixel * 3] = (total & 255) * scale;
      data[pixel * 3 + 1] = (action & 255) * scale;
      data[pixel * 3 + 2] = ((before.stepIndex * 16 + frame + prompt.length) & 255) * scale;
    }
    if (world.nanAtStep === before.stepIndex) data[data.length - 1] = Number.NaN;
    counts.chunksOut += 1;
    let released = false;
    const release = (): void => {
      if (released) counts.doubleReleases += 1;
      else counts.chunksOut -= 1;
      released = true;
    };
    const { width, height, format, layout, colorSpace, range } = description;
    return {
      stepIndex: before.stepIndex,
      output: { width, height, frameCount, format, layout, colorSpace, range, data, release },
      metadata: { action, prompt, total },
    };
  }

  /** Starts anew, with the inputs as amended unless others are given. */
  reset(options: ResetOptions): void {
    this.#requireOpen("reset");
    this.#context.options.log.push("session.reset");
    this.#context.options.failures.pass(FAILURE_POINTS.reset);
    this.#pending = undefined;
    this.#state = startState(options.inputs?.initial ?? this.#state.initial, options.seed ?? this.#state.seed);
  }

  /** Frees the session; only the first call counts. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#context.counts.openSessions -= 1;
    this.#context.options.log.push("session.close");
    this.#context.options.failures.pass(FAILURE_POINTS.closeSession);
  }

  async #finalize(options: StepOptions): Promise<void> {
    this.#requireOpen("finalizeStep");
    const { options: world } = this.#context;
    world.log.push(`session.finalizeStep ${this.#state.stepIndex}`);
    await this.#wait(world.finalizeSeconds, options.signal);
    world.failures.pass(FAILURE_POINTS.finalizeStep);
    if (this.#pending !== undefined) this.#state = this.#pending;
    this.#pending = undefined;
  }

  #discard(): void {
    this.#context.options.log.push(`session.discardStep ${this.#state.stepIndex}`);
    this.#pending = undefined;
  }

  #takeSnapshot(): SessionSnapshot {
    this.#requireOpen("snapshot");
    return { version: "fake@1", data: structuredClone(this.#state) };
  }

  #restoreSnapshot(snapshot: SessionSnapshot, { seed }: RestoreOptions = {}): void {
    this.#requireOpen("restore");
    if (snapshot.version !== "fake@1") {
      throw new DreamloopError(
        ERROR_CODES.invalidValue,
        `SessionSnapshot.version: expected "fake@1", found ${JSON.stringify(snapshot.version)}; use a snapshot of this world`,
      );
    }
    this.#pending = undefined;
    const state = structuredClone(snapshot.data) as FakeState;
    this.#state = seed === undefined ? state : { ...state, seed };
  }

  async #wait(durationSeconds: number, signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#context.options;
    if (durationSeconds > 0 && clock !== undefined)
      await clock.sleepUntil(clock.nowSeconds() + durationSeconds, signal);
  }

  #requireOpen(method: string): void {
    if (this.#closed) throw closedError(`FakeSession.${method}`);
  }
}

function startState(initial: ModelInputs["initial"], seed: number): FakeState {
  const prompt = typeof initial.prompt === "string" ? initial.prompt : "";
  return { stepIndex: 0, total: 0, prompt, seed, initial };
}
