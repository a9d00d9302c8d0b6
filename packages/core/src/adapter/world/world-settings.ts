import type { InferenceConfig } from "../../model/inference-config.ts";
import { sessionDescription, type SessionDescription } from "../../model/session-description.ts";
import { COLOR_RANGES, PIXEL_FORMATS } from "../../model/video-chunk.ts";
import { randomStream } from "../../foundation/random/index.ts";
import { throughSchema, within } from "../../foundation/validate/reader.ts";
import { placeIn, type World } from "./world.ts";
import type { WorldRandom, WorldSettings, WorldStepTime, WorldVideo } from "./world-definition.ts";

/** What is known before anything loads: the configuration, and its options as the world's schema gives them. */
export function worldSettings(world: World, config: InferenceConfig): WorldSettings<unknown> {
  if (world.options === undefined) return { config, options: Object.freeze({}) };
  return { config, options: throughSchema(world.options)(config.runtimeOptions, "InferenceConfig.runtimeOptions") };
}

/** What sessions deliver under these settings; the error names the world. */
export function describeWorld(world: World, settings: WorldSettings<unknown>): SessionDescription {
  return describeVideo(world, typeof world.video === "function" ? world.video(settings) : world.video);
}

/** A world's video with its defaults; the error names the world. */
export function describeVideo(world: World, video: WorldVideo): SessionDescription {
  const isFloat = typeof video === "object" && video !== null && video.format === PIXEL_FORMATS.rgbf32;
  const range = isFloat ? COLOR_RANGES.unit : COLOR_RANGES.full;
  return within(placeIn(world, "video"), () =>
    sessionDescription({ range, deterministic: true, ...video, worldId: world.id }),
  );
}

/** How long the step is, for a session's request and for everything that advances by it. */
export function stepTime(video: SessionDescription, stepIndex: number): WorldStepTime {
  const frameCount = stepIndex === 0 ? video.firstStepFrames : video.framesPerStep;
  return { stepIndex, frameCount, durationSeconds: frameCount / video.framesPerSecond };
}

/** What random numbers are drawn for. */
export type WorldPurpose = "start" | "step" | "dynamics-start" | "dynamics-step";

/** Random numbers for one purpose, which keeps streams of the same name in different functions apart. */
export function worldRandom(purpose: WorldPurpose, seed: number, stepIndex: number): WorldRandom {
  return (stream, subStep = 0) => randomStream({ seed, step: stepIndex, subStep, stream: `${purpose}/${stream}` });
}
