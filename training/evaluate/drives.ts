import { randomStream, type DriverCommand } from "@dreamloop/core";
import {
  advanceDrive,
  createDriveState,
  createDriveWorld,
  DRIVE_STEP_SECONDS,
  motionVector,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  SceneRasteriser,
  type DriveState,
  type DriveWorld,
} from "@dreamloop/worlds/drive";
import { classify, createClassifiedTarget, PixelClass } from "../render/classes.ts";
import { createDriver, type Driver, type DriverStyle } from "../render/drivers.ts";
import { lookOf, slideLook, type Condition, type Look } from "../render/looks.ts";
import { AppearanceRenderer } from "../render/renderer.ts";

/** First track seed of the evaluation; the test range of the data generator, of which nothing is trained on. */
export const FIRST_TEST_SEED = 300_000;

/** Share of the way to a new look per frame after a change of condition, as in the training data. */
const SLIDE_PER_FRAME = 0.18;

/** Where things are in a frame; one byte per pixel, 0 or 1. */
export interface FrameTruth {
  /** Asphalt with its lines. */
  readonly road: Uint8Array;
  /** Painted lines. */
  readonly lines: Uint8Array;
  /** Other cars. */
  readonly cars: Uint8Array;
}

/** One frame of a drive: what the model is told, and what it should show. */
export interface DriveFrame {
  /** Map frame. */
  readonly map: Uint8Array;
  /** Motion vector. */
  readonly motion: Float32Array;
  /** Packed RGB of the renderer. */
  readonly picture: Uint8Array;
  /** Where things are. */
  readonly truth: FrameTruth;
  /** The state that it shows. */
  readonly state: DriveState;
}

/** How an evaluation drive goes. */
export interface TestDriveOptions {
  /** Added to `FIRST_TEST_SEED`. */
  readonly number: number;
  /** Way of driving; default `cruise`. Ignored when `driver` is given. */
  readonly style?: DriverStyle;
  /** Who drives. */
  readonly driver?: Driver;
  /** Condition at the start. */
  readonly condition: Condition;
  /** Condition later on, and from which frame. */
  readonly change?: { readonly condition: Condition; readonly frame: number };
  /** Speed at the start, in m/s; default 9. */
  readonly speedMetresPerSecond?: number;
}

/** Makes the frames of drives on test tracks, one by one, so that long drives need no memory. */
export class TestDrive {
  readonly world: DriveWorld;
  readonly #options: TestDriveOptions;
  readonly #driver: Driver;
  readonly #look: Look;
  readonly #studio: Studio;
  #state: DriveState;
  #frame = 0;

  /** @param options How the drive goes. @param studio What draws it; may be shared. */
  constructor(options: TestDriveOptions, studio: Studio) {
    const seed = FIRST_TEST_SEED + options.number;
    this.#options = options;
    this.#studio = studio;
    this.world = createDriveWorld(seed);
    const stream = randomStream({ seed, step: 0, subStep: 0, stream: "evaluation.drive" });
    this.#driver = options.driver ?? createDriver(options.style ?? "cruise", () => stream.nextUniform());
    this.#state = createDriveState(this.world, {
      speedMetresPerSecond: options.speedMetresPerSecond ?? 9,
      trafficCars: 12,
    });
    this.#look = lookOf(options.condition);
  }

  /** The frame at the present pose; advances afterwards. @param withPicture Whether to render; default true. */
  next(withPicture = true): DriveFrame {
    const { change } = this.#options;
    if (change !== undefined && this.#frame >= change.frame)
      slideLook(this.#look, lookOf(change.condition), SLIDE_PER_FRAME);
    const frame = this.#studio.draw(this.world, this.#state, withPicture ? this.#look : undefined);
    const command: DriverCommand = this.#driver(this.world, this.#state, this.#frame);
    this.#state = advanceDrive(this.world, this.#state, command, DRIVE_STEP_SECONDS);
    this.#frame++;
    return frame;
  }
}

/** Draws map, truth and picture of a state. */
export class Studio {
  readonly #rasteriser = new SceneRasteriser();
  readonly #renderer = new AppearanceRenderer();

  /**
   * Draws one frame.
   *
   * @param world The world.
   * @param state Where everything is.
   * @param look The look, or nothing if no picture is wanted.
   * @returns The frame; its picture is empty without a look.
   */
  draw(world: DriveWorld, state: DriveState, look: Look | undefined): DriveFrame {
    const target = createClassifiedTarget();
    this.#rasteriser.rasterise(world, state, target);
    const picture = new Uint8Array(look === undefined ? 0 : 3 * PICTURE_WIDTH * PICTURE_HEIGHT);
    if (look !== undefined) {
      this.#renderer.place(world, state);
      this.#renderer.shade(look, picture);
    }
    const classes = classify(target);
    const where = (...wanted: readonly number[]): Uint8Array => classes.map((each) => (wanted.includes(each) ? 1 : 0));
    const truth = {
      road: where(PixelClass.road, PixelClass.line),
      lines: where(PixelClass.line),
      cars: where(PixelClass.car),
    };
    return { map: target.planes, motion: motionVector(state), picture, truth, state };
  }
}
