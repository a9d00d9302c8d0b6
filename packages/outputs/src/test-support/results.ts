import {
  sessionDescription,
  stepResult,
  type OutputTarget,
  type SessionDescription,
  type SessionDescriptionInput,
  type StepResult,
} from "@dreamloop/core";

/** A description with the size and rate that matter to a test. */
export function described(
  width: number,
  height: number,
  rest: Partial<SessionDescriptionInput> = {},
): SessionDescription {
  return sessionDescription({ worldId: "test", width, height, framesPerSecond: 30, ...rest });
}

/** A result of packed RGB8 frames. */
export function rgbResult(
  size: { readonly width: number; readonly height: number },
  data: Uint8Array,
  rest: { readonly stepIndex?: number; readonly generation?: number } = {},
): StepResult {
  const { width, height } = size;
  return stepResult({
    stepIndex: rest.stepIndex ?? 0,
    generation: rest.generation ?? 0,
    output: { width, height, format: "rgb8", layout: "thwc", colorSpace: "srgb", range: "full", data },
  });
}

/** A soft picture that differs from frame to frame: two ramps that move. */
export function movingFrame(width: number, height: number, frame: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = (y * width + x) * 3;
      rgb[at] = 40 + Math.round((160 * x) / Math.max(1, width - 1));
      rgb[at + 1] = 40 + Math.round((160 * y) / Math.max(1, height - 1));
      // Up and down without a jump, which encoders would take for a new scene.
      rgb[at + 2] = 60 + Math.abs(((frame * 5) % 240) - 120);
    }
  }
  return rgb;
}

/** Opens a target, writes moving frames, one a step, and closes it. */
export async function writeMovingFrames(
  target: OutputTarget,
  options: { readonly width: number; readonly height: number; readonly frames: number; readonly fps?: number },
) {
  const { width, height, frames, fps = 30 } = options;
  await target.open(described(width, height, { framesPerSecond: fps }));
  for (let index = 0; index < frames; index += 1) {
    await target.write(rgbResult({ width, height }, movingFrame(width, height, index), { stepIndex: index }));
  }
  return target.close();
}
