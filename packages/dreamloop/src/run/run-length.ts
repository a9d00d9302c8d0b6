import type { FiniteInputSource, SessionDescription } from "@dreamloop/core";
import type { RunSettings } from "../settings/run-settings.ts";

/** Seconds of the world's time that a run lasts when neither an option nor its input says. */
export const DEFAULT_SECONDS = 10;

/** How long a run is, as the batch driver takes it. */
export interface RunLength {
  /** Frames to deliver, exactly. */
  readonly frameLimit?: number;
  /** Seconds of the world's time to deliver. */
  readonly secondsLimit?: number;
}

/** How long a run is: by its options, else by its input, else `DEFAULT_SECONDS`. */
export function runLength(settings: RunSettings, input: FiniteInputSource | undefined): RunLength {
  if (settings.frames !== undefined) return { frameLimit: settings.frames };
  if (settings.seconds !== undefined) return { secondsLimit: settings.seconds };
  return input === undefined ? { secondsLimit: DEFAULT_SECONDS } : {};
}

/** Frames that a run will give if nothing ends it earlier; for displays. */
export function expectedFrames(
  length: RunLength,
  input: FiniteInputSource | undefined,
  description: SessionDescription,
): number {
  if (length.frameLimit !== undefined) return length.frameLimit;
  const seconds = length.secondsLimit ?? input?.endSeconds ?? 0;
  const frames = Math.max(length.secondsLimit === undefined ? 0 : 1, Math.round(seconds * description.framesPerSecond));
  if (length.secondsLimit !== undefined) return frames;
  const { firstStepFrames, framesPerStep } = description;
  const later = Math.max(0, frames - firstStepFrames);
  return frames === 0 ? 0 : firstStepFrames + Math.ceil(later / framesPerStep) * framesPerStep;
}
