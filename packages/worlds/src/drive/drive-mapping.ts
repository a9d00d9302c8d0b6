import { DRIVER_COMMAND, type DriverCommand, inputMapping, type InputMapping, type ModelInputs } from "@dreamloop/core";
import { canonicalValue } from "@dreamloop/core/internal";
import { DRIVE_STEP_SECONDS, PICTURE_HEIGHT, PICTURE_WIDTH } from "./dimensions.ts";
import { motionVector } from "./motion.ts";
import { SceneRasteriser } from "./raster/scene.ts";
import { createMapTarget } from "./raster/target.ts";
import { advanceDrive, createDriveState, type DriveStartOptions, type DriveState } from "./state.ts";
import { createDriveWorld, type DriveWorld } from "./world.ts";

/** Version of the drive domain's behaviour; raised whenever the same commands would give other inputs. */
export const DRIVE_MAPPING_VERSION = "1";

/** Names of the fields that the drive domain makes, among the initial and among the step inputs. */
export const DRIVE_FIELDS = ["map", "motion"] as const;

/** Settings of the drive domain. */
export interface DriveMappingOptions {
  /** Seed of the track; default the seed of the session, so that each session drives elsewhere. */
  readonly trackSeed?: number;
  /** How the drive starts. */
  readonly start?: DriveStartOptions;
}

/**
 * The mapping of the domain `dreamloop/drive@1`: `driver_command` moves a simulated car, and what its camera would see of road,
 * cars and scenery becomes the map frame. It makes `map` (a `Uint8Array` of six planes of 384 × 224) and `motion` (a
 * `Float32Array` of eight numbers), as initial inputs for the pose at the start and as step inputs for the pose after the
 * step. Its state is a `DriveState`, plain and serialisable; each step advances it by 1/20 s whatever the window's length.
 *
 * @param options Track and start.
 * @returns The mapping.
 */
export function driveMapping(options: DriveMappingOptions = {}): InputMapping<DriveState> {
  const worlds = new DriveWorldCache();
  let rasteriser: SceneRasteriser | undefined;
  const inputsOf = (state: DriveState): Readonly<Record<(typeof DRIVE_FIELDS)[number], Uint8Array | Float32Array>> => {
    rasteriser ??= new SceneRasteriser();
    const target = createMapTarget(PICTURE_WIDTH, PICTURE_HEIGHT);
    rasteriser.rasterise(worlds.get(state.worldSeed), state, target);
    return { map: target.planes, motion: motionVector(state) };
  };
  return inputMapping<DriveState>({
    name: "dreamloop/drive",
    version: DRIVE_MAPPING_VERSION,
    consumes: [DRIVER_COMMAND],
    producesInitial: DRIVE_FIELDS,
    producesStep: DRIVE_FIELDS,
    createState: (seed) => createDriveState(worlds.get(options.trackSeed ?? seed), options.start),
    mapInitialInputs: ({ modelInputs, state }) => ({
      inputs: withInitial(modelInputs, inputsOf(state)),
      state,
    }),
    mapStepInputs: ({ canonical, modelInputs, state }) => {
      const value = canonical.values[DRIVER_COMMAND.name] ?? DRIVER_COMMAND.metadata.neutral;
      const command = canonicalValue(DRIVER_COMMAND, value) as unknown as DriverCommand;
      const next = advanceDrive(worlds.get(state.worldSeed), state, command, DRIVE_STEP_SECONDS);
      return { inputs: modelInputs.withStep({ ...modelInputs.step, ...inputsOf(next) }), state: next };
    },
  });
}

function withInitial(inputs: ModelInputs, fields: Readonly<Record<string, unknown>>): ModelInputs {
  return { ...inputs, initial: { ...inputs.initial, ...fields } };
}

/** Keeps the newest few worlds, since making one takes a tenth of a second. Holds nothing that a seed does not determine. */
export class DriveWorldCache {
  readonly #capacity: number;
  readonly #worlds = new Map<number, DriveWorld>();

  /** @param capacity Worlds that are kept, at least 1; the one that was used longest ago goes first. */
  constructor(capacity = 4) {
    this.#capacity = capacity;
  }

  /** Number of worlds that are kept now. */
  get size(): number {
    return this.#worlds.size;
  }

  /**
   * The world of a seed, made if it is not there.
   *
   * @param seed Seed of the track.
   * @returns The world.
   */
  get(seed: number): DriveWorld {
    const known = this.#worlds.get(seed);
    const world = known ?? createDriveWorld(seed);
    this.#worlds.delete(seed);
    this.#worlds.set(seed, world);
    if (this.#worlds.size > this.#capacity) {
      const [oldest] = this.#worlds.keys();
      if (oldest !== undefined) this.#worlds.delete(oldest);
    }
    return world;
  }
}
