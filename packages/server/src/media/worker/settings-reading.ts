import type { VideoEncoderSettings } from "@dreamloop/outputs";

/** Frames after which settings are told although the encoder has held a picture back with every one of them. */
const PATIENCE_FRAMES = 10;

/**
 * What holds in one encoder, as far as its frames show: look-ahead is the least number of pictures that were still inside when a frame came out. Pictures
 * come at the world's pace, so an encoder that holds none back is empty between two of them.
 */
export class SettingsReading {
  #heldFrames = Number.POSITIVE_INFINITY;
  #frameCount = 0;
  #told: VideoEncoderSettings | undefined;

  /** Notes a frame that has come out. Gives the settings when they are known for the first time, and when they turn out to be others. */
  note(settings: VideoEncoderSettings, pendingFrames: number): VideoEncoderSettings | undefined {
    this.#frameCount += 1;
    this.#heldFrames = Math.min(this.#heldFrames, pendingFrames);
    const found = { ...settings, lookAheadFrames: this.#heldFrames };
    const told = this.#told;
    if (told === undefined ? !this.#isKnown : isSame(told, found)) return undefined;
    this.#told = found;
    return found;
  }

  get #isKnown(): boolean {
    return this.#heldFrames === 0 || this.#frameCount >= PATIENCE_FRAMES;
  }
}

function isSame(one: VideoEncoderSettings, other: VideoEncoderSettings): boolean {
  return (
    one.lookAheadFrames === other.lookAheadFrames &&
    one.bFrames === other.bFrames &&
    one.codecString === other.codecString
  );
}
