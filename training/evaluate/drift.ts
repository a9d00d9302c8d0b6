import { PICTURE_WIDTH } from "@dreamloop/worlds/drive";
import { lookOf } from "../render/looks.ts";
import { CONDITIONS } from "./closed-loop.ts";
import type { Studio } from "./drives.ts";
import { TestDrive } from "./drives.ts";
import { pictureStatistics, type PictureStatistics } from "./metrics.ts";
import { promptOf } from "./prompts.ts";
import type { DriveWorldModel } from "./world-rollout.ts";

/** Statistics that are watched. */
const WATCHED = ["mean", "deviation", "detail", "colour"] as const satisfies readonly (keyof PictureStatistics)[];

/** Frames between two looks at the statistics. */
const SAMPLE_EVERY = 25;

/** Frames for which a condition stays. */
const CONDITION_FRAMES = 500;

/** How a very long drive goes. */
export interface DriftResult {
  /** Frames driven. */
  readonly frames: number;
  /** Share of the samples whose four statistics all lie in the band of rendered pictures of the same frames. */
  readonly inBand: number;
  /** The same for the last tenth of the drive. */
  readonly inBandAtEnd: number;
  /** Milliseconds per frame about frame 100 and at the end, medians over 60 frames. */
  readonly stepMilliseconds: readonly [number, number];
  /** Largest distance of a statistic from that of the renderer, as a share of the band's half width. */
  readonly worst: number;
  /** The last picture. */
  readonly lastPicture: Uint8Array;
}

/**
 * Drives on and on through changing conditions. The band about the renderer's own statistics of a frame is a quarter of its
 * value, and at least 6 for brightness and contrast and 1.5 for detail and colour.
 *
 * @param model The world.
 * @param studio What draws.
 * @param frames How many frames.
 * @returns The result.
 */
export async function measureDrift(model: DriveWorldModel, studio: Studio, frames: number): Promise<DriftResult> {
  const drive = new TestDrive({ number: 500, condition: CONDITIONS[0] }, studio);
  const rollout = await model.start({ prompt: promptOf(CONDITIONS[0]), frame: drive.next(false) });
  const inside: boolean[] = [];
  const times: number[] = [];
  let worst = 0;
  let made: Uint8Array = new Uint8Array();
  for (let index = 0; index < frames; index++) {
    const condition = CONDITIONS[(Math.floor(index / CONDITION_FRAMES) * 5) % CONDITIONS.length];
    const frame = drive.next(false);
    const started = performance.now();
    const isChange = index % CONDITION_FRAMES === 0;
    made = await rollout.next(frame, isChange ? promptOf(condition) : undefined);
    times.push(performance.now() - started);
    // For two seconds after a change the picture is on its way.
    if (index % SAMPLE_EVERY !== 0 || index % CONDITION_FRAMES < 50) continue;
    const real = studio.draw(drive.world, frame.state, lookOf(condition)).picture;
    const distance = farthest(pictureStatistics(made, PICTURE_WIDTH), pictureStatistics(real, PICTURE_WIDTH));
    worst = Math.max(worst, distance);
    inside.push(distance <= 1);
  }
  await rollout.close();
  const end = inside.slice(Math.floor(inside.length * 0.9));
  return {
    frames,
    inBand: share(inside),
    inBandAtEnd: share(end),
    stepMilliseconds: [median(times.slice(100, 160)), median(times.slice(-60))],
    worst,
    lastPicture: made,
  };
}

function farthest(made: PictureStatistics, real: PictureStatistics): number {
  let farthestShare = 0;
  for (const name of WATCHED) {
    const least = name === "mean" || name === "deviation" ? 6 : 1.5;
    const band = Math.max(least, real[name] * 0.25);
    farthestShare = Math.max(farthestShare, Math.abs(made[name] - real[name]) / band);
  }
  return farthestShare;
}

function share(values: readonly boolean[]): number {
  return values.filter((value) => value).length / values.length;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1];
}
