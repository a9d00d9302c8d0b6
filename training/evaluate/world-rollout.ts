import {
  frameRgb8,
  inferenceConfig,
  modelInputs,
  PIXEL_FORMATS,
  type InferenceRuntime,
  type InferenceSession,
  type VideoChunk,
} from "@dreamloop/core";
import { loadBundle } from "@dreamloop/onnx/node";
import { driveDomain, PICTURE_HEIGHT, PICTURE_WIDTH } from "@dreamloop/worlds/drive";
import type { DriveFrame } from "./drives.ts";

/** How a rollout begins. */
export interface RolloutStart {
  /** The prompt. */
  readonly prompt: string;
  /** What the model is told about the pose at the start. */
  readonly frame: Pick<DriveFrame, "map" | "motion">;
  /** A picture to go on from, packed RGB; absent: the prompt alone decides. */
  readonly picture?: Uint8Array;
  /** Seed of the noise; default 1. */
  readonly seed?: number;
}

/** The drive world, loaded through the runtime that everybody uses. */
export class DriveWorldModel {
  readonly #runtime: InferenceRuntime;

  private constructor(runtime: InferenceRuntime) {
    this.#runtime = runtime;
  }

  /**
   * Loads a bundle.
   *
   * @param folder Folder of the bundle.
   * @param threads Threads of inference.
   * @param denoisingSteps Denoising steps per frame.
   * @returns The model; close it.
   */
  static async load(folder: string, threads: number, denoisingSteps: number): Promise<DriveWorldModel> {
    const adapter = await loadBundle(folder, { domains: { [driveDomain.id]: driveDomain } });
    const config = inferenceConfig({ modelId: adapter.modelId, model: { threads, denoisingSteps } });
    return new DriveWorldModel(await adapter.createRuntime(config, {}));
  }

  /**
   * Begins a rollout.
   *
   * @param start How it begins.
   * @returns The rollout; close it.
   */
  async start(start: RolloutStart): Promise<DriveRollout> {
    const { map, motion } = start.frame;
    const first = start.picture === undefined ? {} : { first_frame: chunkOf(start.picture) };
    const inputs = modelInputs({ initial: { prompt: start.prompt, map, motion, ...first } });
    return new DriveRollout(await this.#runtime.startSession(inputs, { seed: start.seed ?? 1 }));
  }

  /** Frees the weights. */
  async close(): Promise<void> {
    await this.#runtime.close();
  }
}

/** One rollout of the drive world. */
export class DriveRollout {
  readonly #session: InferenceSession;

  /** @param session The session. */
  constructor(session: InferenceSession) {
    this.#session = session;
  }

  /**
   * Generates the next frame.
   *
   * @param frame What the model is told.
   * @param prompt A new prompt, if any.
   * @returns Packed RGB bytes.
   */
  async next(frame: Pick<DriveFrame, "map" | "motion">, prompt?: string): Promise<Uint8Array> {
    const update = prompt === undefined ? {} : { prompt };
    const result = await this.#session.step(
      modelInputs({ step: { map: frame.map, motion: frame.motion }, update }),
      {},
    );
    const output = result.output as VideoChunk;
    const picture = Uint8Array.from(frameRgb8(output, 0));
    output.release?.();
    await this.#session.finalizeStep?.({});
    return picture;
  }

  /** Ends the rollout. */
  async close(): Promise<void> {
    await this.#session.close();
  }
}

function chunkOf(picture: Uint8Array): VideoChunk {
  return {
    width: PICTURE_WIDTH,
    height: PICTURE_HEIGHT,
    frameCount: 1,
    format: PIXEL_FORMATS.rgb8,
    layout: "thwc",
    colorSpace: "srgb",
    range: "full",
    data: picture,
  };
}
