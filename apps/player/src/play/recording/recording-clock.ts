/** Counts how long the video of a recording is so far: on the world's own timeline, which stands still while no frames come. */
export class RecordingClock {
  readonly #framesPerSecond: number | undefined;
  #first: number | undefined;

  /** `framesPerSecond` is the rate of the world; without one the clock stands. */
  constructor(framesPerSecond: number | undefined) {
    this.#framesPerSecond = framesPerSecond;
  }

  /** A frame of this number is shown; gives the seconds since the first. */
  see(frameIndex: number): number {
    this.#first ??= frameIndex;
    return this.#framesPerSecond === undefined ? 0 : (frameIndex - this.#first) / this.#framesPerSecond;
  }
}

/** Below this share of its own speed, a world is said to have been slow. */
const SLOW_SHARE = 0.8;

/** Whether a video is so much shorter than it took to make that this has to be explained. */
export function isMuchShorter(videoSeconds: number, tookSeconds: number): boolean {
  return videoSeconds < tookSeconds * SLOW_SHARE && tookSeconds - videoSeconds > 1;
}

/** The name of a downloaded file: the world, the seed of its rollout, and when the recording ended. */
export function fileName(facts: {
  /** Identifier of the world. */
  readonly world: string;
  /** Seed of the rollout; absent: not known. */
  readonly seed: number | undefined;
  /** When the recording ended. */
  readonly endedAt: Date;
  /** What the file is, without a dot. */
  readonly extension: string;
}): string {
  const { world, seed, endedAt, extension } = facts;
  const plain = world.replaceAll(/[^\p{L}\p{N}]+/gu, "-").replaceAll(/^-+|-+$/g, "") || "world";
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${endedAt.getFullYear()}-${two(endedAt.getMonth() + 1)}-${two(endedAt.getDate())}`;
  const time = [endedAt.getHours(), endedAt.getMinutes(), endedAt.getSeconds()].map(two).join("");
  return `${plain}${seed === undefined ? "" : `-seed-${seed}`}-${day}-${time}.${extension}`;
}
