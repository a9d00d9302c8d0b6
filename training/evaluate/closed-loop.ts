import type { Condition } from "../render/looks.ts";
import type { Studio } from "./drives.ts";
import { FIRST_TEST_SEED, TestDrive, type DriveFrame } from "./drives.ts";
import type { Judge, Reconstructor } from "./graphs.ts";
import { IouCounter, mean, psnr } from "./metrics.ts";
import { promptOf } from "./prompts.ts";
import { warpPicture } from "./warp.ts";
import type { DriveWorldModel } from "./world-rollout.ts";

/** Frames of a closed-loop drive at which it is compared with the renderer. */
export const HORIZONS = [1, 8, 32, 64, 256] as const;

/** Decibels of the world and of both baselines at one horizon. */
export interface HorizonScore {
  /** Frames since the real picture. */
  readonly frames: number;
  /** The world, whole picture. */
  readonly whole: number;
  /** The world, road region. */
  readonly road: number;
  /** Copying the first picture, whole picture and road region. */
  readonly copied: readonly [number, number];
  /** Warping the first picture, whole picture and road region. */
  readonly warped: readonly [number, number];
}

/** How much painted lines and cars overlap with where the map has them. */
export interface MapAdherence {
  /** In generated pictures. */
  readonly generated: { readonly lines: number; readonly cars: number };
  /** In rendered pictures: what the judge itself can reach. */
  readonly rendered: { readonly lines: number; readonly cars: number };
}

/** Results of the closed loop. */
export interface ClosedLoopResult {
  /** Scores at each horizon. */
  readonly horizons: readonly HorizonScore[];
  /** Overlap with the map as the judge sees it; absent without a judge. */
  readonly adherence?: MapAdherence;
  /** Pictures for the report: rows of rendered and generated at the horizons. */
  readonly pictures: readonly Uint8Array[];
}

/** All twelve conditions. */
export const CONDITIONS: readonly Condition[] = [0, 1, 2].flatMap((time) =>
  [0, 1, 2, 3].map((weather) => ({ time, weather })),
);

/**
 * How well pictures survive encoding and decoding.
 *
 * @param reconstructor Encoder and decoder.
 * @param studio What draws.
 * @param drives Number of test drives; four frames of each count.
 * @returns Mean decibels.
 */
export async function measureReconstruction(
  reconstructor: Reconstructor,
  studio: Studio,
  drives: number,
): Promise<number> {
  const scores: number[] = [];
  for (let number = 0; number < drives; number++) {
    const drive = new TestDrive({ number, condition: CONDITIONS[number % CONDITIONS.length] }, studio);
    for (let index = 0; index < 31; index++) {
      const frame = drive.next(index % 10 === 0);
      if (index % 10 === 0) scores.push(psnr(await reconstructor.run(frame.picture, frame.map), frame.picture));
    }
  }
  return mean(scores);
}

/**
 * Drives in a closed loop from one real picture, and compares with the renderer.
 *
 * @param model The world.
 * @param judge The judge, if there is one.
 * @param studio What draws.
 * @param drives Number of test drives.
 * @param frames Frames of each; horizons beyond it are left out.
 * @returns The result.
 */
export async function measureClosedLoop(
  model: DriveWorldModel,
  judge: Judge | undefined,
  studio: Studio,
  drives: number,
  frames: number,
): Promise<ClosedLoopResult> {
  const scores = new Map<number, number[][]>(HORIZONS.filter((horizon) => horizon <= frames).map((key) => [key, []]));
  const found = { lines: new IouCounter(), cars: new IouCounter() };
  const ceiling = { lines: new IouCounter(), cars: new IouCounter() };
  const pictures: Uint8Array[] = [];
  for (let number = 0; number < drives; number++) {
    const condition = CONDITIONS[(number * 5) % CONDITIONS.length];
    const drive = new TestDrive({ number, condition }, studio);
    const first = drive.next();
    const rollout = await model.start({
      prompt: promptOf(condition),
      frame: first,
      picture: first.picture,
      seed: FIRST_TEST_SEED + number,
    });
    for (let index = 1; index <= frames; index++) {
      const isHorizon = scores.has(index);
      const frame = drive.next(isHorizon);
      const made = await rollout.next(frame);
      if (!isHorizon) continue;
      scores.get(index)?.push(compare(made, frame, first));
      if (index >= 8 && judge !== undefined) await judgeBoth(judge, made, frame, found, ceiling);
      if (number < 4) pictures.push(frame.picture, made);
    }
    await rollout.close();
  }
  return {
    horizons: [...scores].map(([horizon, rows]) => scoreOf(horizon, rows)),
    ...(judge === undefined
      ? {}
      : {
          adherence: {
            generated: { lines: found.lines.value, cars: found.cars.value },
            rendered: { lines: ceiling.lines.value, cars: ceiling.cars.value },
          },
        }),
    pictures,
  };
}

function compare(made: Uint8Array, frame: DriveFrame, first: DriveFrame): number[] {
  const warped = warpPicture(first.picture, first.state, frame.state);
  const { road } = frame.truth;
  return [made, first.picture, warped].flatMap((picture) => [
    psnr(picture, frame.picture),
    psnr(picture, frame.picture, road),
  ]);
}

async function judgeBoth(
  judge: Judge,
  made: Uint8Array,
  frame: DriveFrame,
  found: { lines: IouCounter; cars: IouCounter },
  ceiling: { lines: IouCounter; cars: IouCounter },
): Promise<void> {
  const seen = await judge.look(made);
  const real = await judge.look(frame.picture);
  found.lines.add(seen.lines, frame.truth.lines);
  found.cars.add(seen.cars, frame.truth.cars);
  ceiling.lines.add(real.lines, frame.truth.lines);
  ceiling.cars.add(real.cars, frame.truth.cars);
}

function scoreOf(frames: number, rows: readonly (readonly number[])[]): HorizonScore {
  const column = (index: number): number => mean(rows.map((row) => row[index]));
  return {
    frames,
    whole: column(0),
    road: column(1),
    copied: [column(2), column(3)],
    warped: [column(4), column(5)],
  };
}
