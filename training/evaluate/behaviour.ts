import { NEUTRAL_DRIVER_COMMAND } from "@dreamloop/worlds/drive";
import { follow, type Driver } from "../render/drivers.ts";
import { CONDITIONS } from "./closed-loop.ts";
import type { Studio } from "./drives.ts";
import { TestDrive } from "./drives.ts";
import type { Judge } from "./graphs.ts";
import { mean, meanDifference, psnr } from "./metrics.ts";
import { promptOf } from "./prompts.ts";
import type { DriveWorldModel } from "./world-rollout.ts";

/** Whether the world does as it is told. */
export interface ObedienceResult {
  /** Share of drives in which pictures generated while steering left match the left drive better than the right, and the other way round. */
  readonly steersAsTold: number;
  /** Decibels between generated and rendered pictures of the same drive after a second of steering. */
  readonly own: number;
  /** Decibels between generated pictures and those of the opposite drive. */
  readonly opposite: number;
  /** Mean change from picture to picture while driving, 0..255. */
  readonly changeDriving: number;
  /** The same while standing after braking. */
  readonly changeStanding: number;
}

/**
 * Steers left and right from the same place, and brakes to a stop.
 *
 * @param model The world.
 * @param studio What draws.
 * @param drives Number of test tracks.
 * @returns The result.
 */
export async function measureObedience(
  model: DriveWorldModel,
  studio: Studio,
  drives: number,
): Promise<ObedienceResult> {
  const own: number[] = [];
  const opposite: number[] = [];
  const driving: number[] = [];
  const standing: number[] = [];
  for (let number = 0; number < drives; number++) {
    const condition = CONDITIONS[(number * 7) % CONDITIONS.length];
    const steer =
      (direction: number): Driver =>
      () => ({ ...NEUTRAL_DRIVER_COMMAND, throttle: 0.4, steer: 0.5 * direction });
    const last: { made: Uint8Array; real: Uint8Array }[] = [];
    for (const direction of [1, -1]) {
      const drive = new TestDrive({ number, condition, driver: steer(direction) }, studio);
      const rollout = await model.start({ prompt: promptOf(condition), frame: drive.next(false) });
      let made: Uint8Array = new Uint8Array();
      let frame = drive.next();
      for (let index = 0; index < 20; index++) {
        made = await rollout.next(frame);
        if (index < 19) frame = drive.next(index === 18);
      }
      last.push({ made, real: frame.picture });
      await rollout.close();
    }
    const [left, right] = last;
    own.push(psnr(left.made, left.real), psnr(right.made, right.real));
    opposite.push(psnr(left.made, right.real), psnr(right.made, left.real));
    const braking: Driver = (world, state, step) =>
      step < 25 ? follow(world, state, -1.8, 9, 0, true) : { ...NEUTRAL_DRIVER_COMMAND, brake: 1 };
    const drive = new TestDrive({ number, condition, driver: braking }, studio);
    const rollout = await model.start({ prompt: promptOf(condition), frame: drive.next(false) });
    let before: Uint8Array | undefined;
    for (let index = 0; index < 80; index++) {
      const made = await rollout.next(drive.next(false));
      if (before !== undefined && index < 25 && index > 5) driving.push(meanDifference(made, before));
      if (before !== undefined && index >= 60) standing.push(meanDifference(made, before));
      before = made;
    }
    await rollout.close();
  }
  const obeyed = own.filter((score, index) => score > opposite[index]).length;
  return {
    steersAsTold: obeyed / own.length,
    own: mean(own),
    opposite: mean(opposite),
    changeDriving: mean(driving),
    changeStanding: mean(standing),
  };
}

/** Whether the condition that was asked for is shown. */
export interface ConditionResult {
  /** Share of drives that show the time of day and weather of the prompt, without a first picture, after a second. */
  readonly afterPrompt: number;
  /** Share that show the new condition two seconds after a change in the middle. */
  readonly afterChange: number;
  /** The judge's own accuracy on rendered pictures of the same frames. */
  readonly ceiling: number;
}

/**
 * Asks for each condition, then for another.
 *
 * @param model The world.
 * @param judge The judge.
 * @param studio What draws.
 * @param rounds How often each of the twelve conditions is asked for.
 * @returns The result.
 */
export async function measureConditions(
  model: DriveWorldModel,
  judge: Judge,
  studio: Studio,
  rounds: number,
): Promise<ConditionResult> {
  let prompted = 0;
  let changed = 0;
  let ceiling = 0;
  const total = rounds * CONDITIONS.length;
  for (let number = 0; number < total; number++) {
    const first = CONDITIONS[number % CONDITIONS.length];
    const second = CONDITIONS[(number * 7 + 5 + Math.floor(number / CONDITIONS.length)) % CONDITIONS.length];
    const drive = new TestDrive({ number, condition: first, change: { condition: second, frame: 21 } }, studio);
    const rollout = await model.start({ prompt: promptOf(first), frame: drive.next(false), seed: number });
    for (let index = 1; index <= 60; index++) {
      const frame = drive.next(index === 20);
      const made = await rollout.next(frame, index === 21 ? promptOf(second) : undefined);
      if (index !== 20 && index !== 60) continue;
      const wanted = index === 20 ? first : second;
      const seen = (await judge.look(made)).condition;
      const isRight = seen.time === wanted.time && seen.weather === wanted.weather;
      if (index === 20) {
        prompted += isRight ? 1 : 0;
        const real = (await judge.look(frame.picture)).condition;
        ceiling += real.time === first.time && real.weather === first.weather ? 1 : 0;
      } else changed += isRight ? 1 : 0;
    }
    await rollout.close();
  }
  return { afterPrompt: prompted / total, afterChange: changed / total, ceiling: ceiling / total };
}
