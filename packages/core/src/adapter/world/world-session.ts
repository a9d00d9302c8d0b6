import { DreamloopError, ERROR_CODES, throwIfCancelled } from "../../foundation/dreamloop-error.ts";
import type {
  InferenceSession,
  ResetOptions,
  RestoreOptions,
  SessionSnapshot,
  StepOptions,
} from "../../model/inference-session.ts";
import { modelInputs, type ModelInputs } from "../../mapping/model-inputs.ts";
import type { SessionDescription } from "../../model/session-description.ts";
import type { StepRequestInput } from "../../mapping/step-request.ts";
import type { StepResultInput } from "../../model/step-result.ts";
import { isPlainObject, refuse, type Mapping } from "../../foundation/validate/reader.ts";
import { promptReports } from "./prompt-report.ts";
import { FramePool } from "../../model/frame-pool.ts";
import type { WorldSettings } from "./world-definition.ts";
import { initialValues, stepValues, updateValues } from "./world-inputs.ts";
import { StepContext } from "./step-context.ts";
import { readStepOutcome } from "./step-outcome.ts";
import { frozenState } from "./world-mapping.ts";
import { stepTime, worldRandom } from "./world-settings.ts";
import { placeIn, type World } from "./world.ts";

/** What a session of a world shares with the others of its runtime. */
export interface WorldSessionOptions {
  /** The definition. */
  readonly world: World;
  /** Configuration and options. */
  readonly settings: WorldSettings<unknown>;
  /** What is delivered. */
  readonly video: SessionDescription;
  /** What `load` gave. */
  readonly model: unknown;
  /** Called once when the session is closed. */
  readonly onClose: () => void;
}

/** Everything that a rollout is at a step boundary. */
interface WorldPosition {
  readonly seed: number;
  readonly stepIndex: number;
  readonly initial: Mapping;
  readonly state: unknown;
  readonly isComplete: boolean;
}

const POSITION_KEYS = ["seed", "stepIndex", "initial", "state", "isComplete"] satisfies (keyof WorldPosition)[];

/** A rollout of a world that `defineWorld` made: its whole state is one value, replaced when a step has succeeded. */
export class WorldSession implements InferenceSession {
  readonly #options: WorldSessionOptions;
  readonly #frames: FramePool;
  #position: WorldPosition;
  #before: WorldPosition | undefined;
  #isBusy = false;
  #isClosed = false;

  private constructor(options: WorldSessionOptions, position: WorldPosition) {
    this.#options = options;
    this.#frames = new FramePool(options.video.format);
    this.#position = position;
  }

  /** Starts a rollout; throws `missing_input` and `unknown_key` for initial inputs that are not as declared. */
  static async start(
    options: WorldSessionOptions,
    inputs: ModelInputs,
    seed: number,
    signal: AbortSignal | undefined,
  ): Promise<WorldSession> {
    return new WorldSession(options, await firstPosition(options, initialValues(options.world, inputs), seed, signal));
  }

  /** The next index with the length of the step, or nothing when the rollout is complete. */
  nextStepRequest(): StepRequestInput | undefined {
    this.#requireOpen("nextStepRequest");
    const { stepIndex, isComplete } = this.#position;
    if (isComplete) return undefined;
    const { frameCount, durationSeconds } = stepTime(this.#options.video, stepIndex);
    return { stepIndex, metadata: { frameCount, durationSeconds } };
  }

  /** Runs one step; its state counts only if it succeeds. */
  step(inputs: ModelInputs, { signal }: StepOptions = {}): StepResultInput | Promise<StepResultInput> {
    this.#requireIdle("step");
    const place = placeIn(this.#options.world, "step()");
    throwIfCancelled(signal, place);
    if (this.#position.isComplete) {
      throw new DreamloopError(ERROR_CODES.invalidState, `${place}: the rollout is complete; reset the session`);
    }
    const { world, settings, video, model } = this.#options;
    const { seed, stepIndex, initial: before, state } = this.#position;
    const given = modelInputs(inputs);
    const update = updateValues(world, given);
    const updated = Object.keys(update);
    const initial = updated.length === 0 ? before : Object.freeze({ ...before, ...update });
    const context = new StepContext(
      {
        settings,
        model,
        video,
        time: stepTime(video, stepIndex),
        seed,
        initial,
        inputs: stepValues(world, given),
        state,
        updated,
        signal,
      },
      this.#frames,
    );
    const finish = (outcome: unknown): StepResultInput => {
      throwIfCancelled(signal, place);
      const read = readStepOutcome(world, video, stepIndex, outcome, (frames, kept) => context.releaseOf(frames, kept));
      const isComplete = read.isLast || stepIndex + 1 === world.maxSteps;
      this.#before = this.#position;
      const next = { seed, stepIndex: stepIndex + 1, initial, state: frozenState(read.state), isComplete };
      this.#position = Object.freeze(next);
      return withReports(read.result, promptReports(world, initial, { stepIndex, updated }));
    };
    this.#isBusy = true;
    let isPending = false;
    try {
      const outcome = world.step(context);
      if (!isPromise(outcome)) return finish(outcome);
      isPending = true;
      return Promise.resolve(outcome)
        .then(finish)
        .finally(() => {
          this.#isBusy = false;
        });
    } finally {
      if (!isPending) this.#isBusy = false;
    }
  }

  /** Takes the last step back, once. */
  discardStep(): void {
    if (this.#before === undefined) return;
    this.#position = this.#before;
    this.#before = undefined;
  }

  /** Starts the rollout anew; when that fails, the old one goes on. */
  async reset({ inputs, seed, signal }: ResetOptions = {}): Promise<void> {
    this.#requireIdle("reset");
    const { world } = this.#options;
    const initial = inputs === undefined ? this.#position.initial : initialValues(world, modelInputs(inputs));
    this.#isBusy = true;
    try {
      this.#position = await firstPosition(this.#options, initial, seed ?? this.#position.seed, signal);
      this.#before = undefined;
    } finally {
      this.#isBusy = false;
    }
  }

  /** A copy of everything that the rollout is; throws `invalid_state` when the state holds what cannot be copied. */
  snapshot(): SessionSnapshot {
    this.#requireIdle("snapshot");
    return { version: this.#snapshotVersion(), data: this.#copy(this.#position) };
  }

  /** Goes on from a snapshot of the same world and version. */
  restore(snapshot: SessionSnapshot, { seed }: RestoreOptions = {}): void {
    this.#requireIdle("restore");
    const place = `${placeIn(this.#options.world, "restore()")}`;
    if (snapshot?.version !== this.#snapshotVersion()) {
      refuse(`${place}: SessionSnapshot.version`, JSON.stringify(this.#snapshotVersion()), snapshot?.version);
    }
    const data: unknown = snapshot.data;
    if (!isPlainObject(data) || POSITION_KEYS.some((key) => !Object.hasOwn(data, key))) {
      refuse(`${place}: SessionSnapshot.data`, "what snapshot() gave", data);
    }
    const copy = this.#copy(data as unknown as WorldPosition);
    this.#position = Object.freeze({
      ...copy,
      seed: seed ?? copy.seed,
      initial: Object.freeze(copy.initial),
      state: frozenState(copy.state),
    });
    this.#before = undefined;
  }

  /** Frees the place of the session; idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#frames.close();
    this.#options.onClose();
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #snapshotVersion(): string {
    return `${this.#options.world.id}@${this.#options.world.version}`;
  }

  #copy(position: WorldPosition): WorldPosition {
    try {
      return structuredClone(position);
    } catch (error) {
      const place = placeIn(this.#options.world, "step().state");
      const message = `${place}: the state or an initial input cannot be copied; keep functions and class instances out of it`;
      throw new DreamloopError(ERROR_CODES.invalidState, message, { cause: error });
    }
  }

  #requireOpen(method: string): void {
    if (!this.#isClosed) return;
    const place = placeIn(this.#options.world, `${method}()`);
    throw new DreamloopError(ERROR_CODES.closed, `${place}: the session is closed; start another`);
  }

  #requireIdle(method: string): void {
    this.#requireOpen(method);
    if (!this.#isBusy) return;
    const place = placeIn(this.#options.world, `${method}()`);
    throw new DreamloopError(ERROR_CODES.invalidState, `${place}: a step or reset is still running; await it first`);
  }
}

async function firstPosition(
  { world, settings, video, model }: WorldSessionOptions,
  initial: Mapping,
  seed: number,
  signal: AbortSignal | undefined,
): Promise<WorldPosition> {
  throwIfCancelled(signal, placeIn(world, "start()"));
  const random = worldRandom("start", seed, 0);
  const state = await world.start?.({ ...settings, model, video, initial, seed, random, signal });
  throwIfCancelled(signal, placeIn(world, "start()"));
  if (world.start !== undefined && state === undefined) {
    refuse(placeIn(world, "start()"), "the state before the first step", state);
  }
  return Object.freeze({ seed, stepIndex: 0, initial, state: frozenState(state ?? null), isComplete: false });
}

/** A result with what became of the prompts; what the world says of them by itself counts. */
function withReports(result: StepResultInput, prompts: Mapping | undefined): StepResultInput {
  const { metadata = {} } = result;
  if (prompts === undefined || !isPlainObject(metadata)) return result;
  return { ...result, metadata: { prompts, ...metadata } };
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}
