import type { InferenceConfig } from "../../model/inference-config.ts";
import type { SessionDescription } from "../../model/session-description.ts";
import type { Mapping } from "../../foundation/validate/reader.ts";
import type { FrameLoan, FramePool } from "../../model/frame-pool.ts";
import { channelsOf, type PixelData } from "../../model/video-chunk.ts";
import { mayHold } from "./may-hold.ts";
import type { WorldRandom, WorldSettings, WorldStepTime } from "./world-definition.ts";
import { worldRandom } from "./world-settings.ts";

/** What a step's context is made from. */
export interface StepContextInput {
  /** Configuration and options. */
  readonly settings: WorldSettings<unknown>;
  /** What `load` gave. */
  readonly model: unknown;
  /** What is delivered. */
  readonly video: SessionDescription;
  /** Where and how long the step is. */
  readonly time: WorldStepTime;
  /** The seed of the rollout. */
  readonly seed: number;
  /** The initial inputs in force. */
  readonly initial: Mapping;
  /** The inputs of the step. */
  readonly inputs: Mapping;
  /** What the step before gave. */
  readonly state: unknown;
  /** Names that an update changed. */
  readonly updated: readonly string[];
  /** Cancels the step. */
  readonly signal: AbortSignal | undefined;
}

/**
 * What `step` of a definition is given; see `WorldStep`. A class, since an object literal with spreads and a getter costs twenty
 * times as much.
 */
export class StepContext {
  /** The configuration in force. */
  readonly config: InferenceConfig;
  /** The world's own options. */
  readonly options: unknown;
  /** What `load` gave. */
  readonly model: unknown;
  /** What is delivered. */
  readonly video: SessionDescription;
  /** Index since the start or the last reset. */
  readonly stepIndex: number;
  /** Frames of this step. */
  readonly frameCount: number;
  /** Its duration on the world's timeline. */
  readonly durationSeconds: number;
  /** The seed of the rollout. */
  readonly seed: number;
  /** Random numbers. */
  readonly random: WorldRandom;
  /** The initial inputs in force. */
  readonly initial: Mapping;
  /** The inputs of this step. */
  readonly inputs: Mapping;
  /** What the step before gave. */
  readonly state: unknown;
  /** Names that an update changed. */
  readonly updated: readonly string[];
  /** Cancels the step. */
  readonly signal: AbortSignal | undefined;
  readonly #pool: FramePool;
  #loan: FrameLoan | undefined;

  /** `pool` provides the array when the step asks for it. */
  constructor(input: StepContextInput, pool: FramePool) {
    this.config = input.settings.config;
    this.options = input.settings.options;
    this.model = input.model;
    this.video = input.video;
    this.stepIndex = input.time.stepIndex;
    this.frameCount = input.time.frameCount;
    this.durationSeconds = input.time.durationSeconds;
    this.seed = input.seed;
    this.random = worldRandom("step", input.seed, input.time.stepIndex);
    this.initial = input.initial;
    this.inputs = input.inputs;
    this.state = input.state;
    this.updated = input.updated;
    this.signal = input.signal;
    this.#pool = pool;
  }

  /** The array for the frames of this step, all zero, taken from the pool when it is first read. */
  get frames(): PixelData {
    if (this.#loan === undefined) {
      const { width, height, format } = this.video;
      this.#loan = this.#pool.take(width * height * channelsOf(format) * this.frameCount);
      this.#loan.data.fill(0);
    }
    return this.#loan.data;
  }

  /**
   * How `frames` are given back to the pool; `undefined` when they did not come from it, or when something that lasts longer than the step (`kept`: its
   * state, its metadata) may still hold them. They are its own then, and nobody paints over them.
   */
  releaseOf(frames: unknown, kept: unknown): (() => void) | undefined {
    if (this.#loan === undefined || frames !== this.#loan.data) return undefined;
    return mayHold(kept, this.#loan.data.buffer) ? undefined : this.#loan.release;
  }
}
