import { closeSync, existsSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { randomStream } from "@dreamloop/core";
import {
  advanceDrive,
  createDriveState,
  createDriveWorld,
  DRIVE_STEP_SECONDS,
  motionVector,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  SceneRasteriser,
} from "@dreamloop/worlds/drive";
import { classify, createClassifiedTarget } from "./classes.ts";
import { createDriver, pickStyle, type Uniform } from "./drivers.ts";
import { lookOf, slideLook, TIMES_OF_DAY, WEATHERS, type Condition } from "./looks.ts";
import { AppearanceRenderer } from "./renderer.ts";

/** Raised whenever the same seed would give other data. */
const DATA_VERSION = 2;
/** Frames per clip. */
const CLIP_FRAMES = 32;
/** Looks that each drive is rendered under. */
const LOOKS_PER_DRIVE = 2;
/** Share of the way to a new look per frame after a change of condition. */
const SLIDE_PER_FRAME = 0.18;
/** First track seed of each split; the ranges never meet. */
const FIRST_SEED = { train: 100_000, validation: 200_000, test: 300_000 } as const;

/** Condition of every frame of one rendering. */
interface ConditionPlan {
  readonly first: Condition;
  readonly second: Condition;
  readonly changeFrame: number;
}

const { values } = parseArgs({
  options: {
    out: { type: "string" },
    split: { type: "string", default: "train" },
    from: { type: "string", default: "0" },
    to: { type: "string", default: "10" },
    step: { type: "string", default: "1" },
  },
});
main();

function main(): void {
  const split = values.split as keyof typeof FIRST_SEED;
  if (values.out === undefined || FIRST_SEED[split] === undefined) {
    throw new Error("generate: give --out FOLDER and --split train, validation or test.");
  }
  mkdirSync(values.out, { recursive: true });
  const renderer = new AppearanceRenderer();
  const rasteriser = new SceneRasteriser();
  for (let number = Number(values.from); number < Number(values.to); number += Number(values.step)) {
    const name = `${split}-${String(number).padStart(5, "0")}`;
    if (existsSync(join(values.out, `${name}.json`))) continue;
    const started = performance.now();
    generateDrive(values.out, name, FIRST_SEED[split] + number, split, renderer, rasteriser);
    console.log(`${name} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

function generateDrive(
  folder: string,
  name: string,
  seed: number,
  split: string,
  renderer: AppearanceRenderer,
  rasteriser: SceneRasteriser,
): void {
  const stream = randomStream({ seed, step: 0, subStep: 0, stream: "training.drive" });
  const uniform: Uniform = () => stream.nextUniform();
  const world = createDriveWorld(seed);
  const style = pickStyle(uniform);
  const driver = createDriver(style, uniform);
  const warmUp = Math.floor(40 * uniform());
  let state = createDriveState(world, {
    speedMetresPerSecond: style === "standing" ? 0 : 4 + 12 * uniform(),
    trafficCars: 6 + Math.floor(12 * uniform()),
    lateralMetres: style === "offRoad" ? (uniform() - 0.5) * 14 : style === "oncomingLane" ? 1.8 : -1.8,
  });
  for (let step = 0; step < warmUp; step++)
    state = advanceDrive(world, state, driver(world, state, step), DRIVE_STEP_SECONDS);
  const plans = Array.from({ length: LOOKS_PER_DRIVE }, () => planConditions(uniform));
  const looks = plans.map((plan) => lookOf(plan.first));
  const target = createClassifiedTarget();
  const picture = new Uint8Array(3 * PICTURE_WIDTH * PICTURE_HEIGHT);
  const mapFile = openSync(join(folder, `${name}.map`), "w");
  const classFile = openSync(join(folder, `${name}.classes`), "w");
  const pictureFiles = plans.map((_, index) => openSync(join(folder, `${name}.${index}.rgb`), "w"));
  const motion: number[][] = [];
  for (let frame = 0; frame < CLIP_FRAMES; frame++) {
    state = advanceDrive(world, state, driver(world, state, warmUp + frame), DRIVE_STEP_SECONDS);
    rasteriser.rasterise(world, state, target);
    writeSync(mapFile, target.planes);
    writeSync(classFile, classify(target));
    renderer.place(world, state);
    motion.push(Array.from(motionVector(state), (value) => Number(value.toFixed(5))));
    plans.forEach((plan, index) => {
      if (frame >= plan.changeFrame) slideLook(looks[index], lookOf(plan.second), SLIDE_PER_FRAME);
      renderer.shade(looks[index], picture);
      writeSync(pictureFiles[index], picture);
    });
  }
  for (const file of [mapFile, classFile, ...pictureFiles]) closeSync(file);
  const record = {
    dataVersion: DATA_VERSION,
    split,
    trackSeed: seed,
    style,
    frames: CLIP_FRAMES,
    width: PICTURE_WIDTH,
    height: PICTURE_HEIGHT,
    timesOfDay: TIMES_OF_DAY,
    weathers: WEATHERS,
    clips: plans,
    motion,
  };
  // Written last and renamed, so that a drive that has its record is complete.
  writeFileSync(join(folder, `${name}.tmp`), JSON.stringify(record));
  renameSync(join(folder, `${name}.tmp`), join(folder, `${name}.json`));
}

function planConditions(uniform: Uniform): ConditionPlan {
  const draw = (): Condition => ({ time: Math.floor(uniform() * 3), weather: Math.floor(uniform() * 4) });
  const first = draw();
  const changes = uniform() < 1 / 3;
  const changeFrame = changes ? 5 + Math.floor(15 * uniform()) : CLIP_FRAMES;
  return { first, second: changes ? draw() : first, changeFrame };
}
