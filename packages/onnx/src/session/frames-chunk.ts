import { DreamloopError, ERROR_CODES, type VideoChunkInput } from "@dreamloop/core";
import { elementCount, type Tensor } from "../engine/tensor.ts";
import type { WorldManifest } from "../manifest/world-manifest.ts";

/** The frames of a step as a chunk that says everything about itself; the data are passed on by reference. */
export function framesChunk(manifest: WorldManifest, stepIndex: number, frames: Tensor | undefined): VideoChunkInput {
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
  if (frames.data instanceof Float32Array) {
    return { ...shared, format: "rgbf32", range: range === "signed" ? "signed" : "unit", data: frames.data };
  }
  return { ...shared, format: "rgb8", range: "full", data: frames.data as Uint8Array };
}
