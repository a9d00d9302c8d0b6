import type { InferenceConfig } from "../../model/inference-config.ts";
import { DreamloopError, ERROR_CODES, isDreamloopError, throwIfCancelled } from "../../foundation/dreamloop-error.ts";
import type { InferenceRuntime, StartSessionOptions } from "../../model/inference-session.ts";
import type { CreateRuntimeOptions, LoadProgress } from "../model-adapter.ts";
import { modelInputs, type ModelInputs } from "../../mapping/model-inputs.ts";
import type { SessionDescription } from "../../model/session-description.ts";
import type { Json } from "../../foundation/validate/reader.ts";
import type { WorldSettings } from "./world-definition.ts";
import { WorldSession } from "./world-session.ts";
import { describeWorld, worldSettings } from "./world-settings.ts";
import { placeIn, type World } from "./world.ts";

/** The runtime of a world that `defineWorld` made: what `load` gave, shared by its sessions. */
export class WorldRuntime implements InferenceRuntime {
  /** How many sessions may be open at a time. */
  readonly maxSessions: number;
  readonly #world: World;
  readonly #settings: WorldSettings<unknown>;
  readonly #video: SessionDescription;
  readonly #model: unknown;
  readonly #sessions = new Set<WorldSession>();
  #starting = 0;
  #closing: Promise<void> | undefined;

  private constructor(world: World, settings: WorldSettings<unknown>, video: SessionDescription, model: unknown) {
    this.maxSessions = world.maxSessions;
    this.#world = world;
    this.#settings = settings;
    this.#video = video;
    this.#model = model;
  }

  /** Loads the model; when that is cancelled meanwhile, what was loaded is freed. Throws `load_failed` and `cancelled`. */
  static async create(world: World, config: InferenceConfig, options: CreateRuntimeOptions): Promise<WorldRuntime> {
    const { onProgress, signal = new AbortController().signal } = options;
    const place = placeIn(world, "load()");
    throwIfCancelled(signal, place);
    const settings = worldSettings(world, config);
    const video = describeWorld(world, settings);
    const progress = (report: LoadProgress): void => onProgress?.(report);
    let model: unknown;
    try {
      model = await world.load?.({ ...settings, video, signal, progress });
    } catch (error) {
      throwIfCancelled(signal, place);
      if (isDreamloopError(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      throw new DreamloopError(ERROR_CODES.loadFailed, `${place}: ${message}`, { cause: error });
    }
    const runtime = new WorldRuntime(world, settings, video, model);
    if (signal.aborted) {
      await runtime.close();
      throwIfCancelled(signal, place);
    }
    return runtime;
  }

  /** What its sessions deliver. */
  describe(): SessionDescription {
    return this.#video;
  }

  /** What the world says of its model. */
  facts(): { readonly [key: string]: Json } {
    return this.#world.facts?.(this.#model) ?? {};
  }

  /** Starts a rollout; throws `busy` when all places are taken. */
  async startSession(inputs: ModelInputs, { seed, signal }: StartSessionOptions): Promise<WorldSession> {
    const place = placeIn(this.#world, "startSession()");
    this.#requireOpen(place);
    if (this.#sessions.size + this.#starting >= this.maxSessions) {
      const message = `${place}: all ${this.maxSessions} sessions are open; close one, or raise maxSessions`;
      throw new DreamloopError(ERROR_CODES.busy, message, { retryable: true });
    }
    this.#starting += 1;
    try {
      const options = {
        world: this.#world,
        settings: this.#settings,
        video: this.#video,
        model: this.#model,
        onClose: (): void => {
          this.#sessions.delete(session);
        },
      };
      const session = await WorldSession.start(options, modelInputs(inputs), seed, signal);
      this.#requireOpen(place);
      this.#sessions.add(session);
      return session;
    } finally {
      this.#starting -= 1;
    }
  }

  /** Closes what is open and frees the model; idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #requireOpen(place: string): void {
    if (this.#closing === undefined) return;
    throw new DreamloopError(ERROR_CODES.closed, `${place}: the runtime is closed; create another`);
  }

  async #close(): Promise<void> {
    for (const session of [...this.#sessions]) session.close();
    await this.#world.close?.(this.#model);
  }
}
