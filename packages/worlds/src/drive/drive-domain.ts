import type { InputMapping } from "@dreamloop/core";
import { finite, optional, refuse, shape } from "@dreamloop/core/internal";
import { DRIVE_FRAMES_PER_SECOND, PICTURE_HEIGHT, PICTURE_WIDTH } from "./dimensions.ts";
import { DRIVE_MAPPING_VERSION, driveMapping, type DriveMappingOptions } from "./drive-mapping.ts";
import { MOTION_LENGTH } from "./motion.ts";
import { MAP_PLANE_COUNT } from "./raster/target.ts";
import type { DriveStartOptions } from "./state.ts";

/** Type and shape of a tensor that the drive domain supplies. */
export interface DriveTensor {
  /** Type of the elements. */
  readonly dtype: "uint8" | "float32";
  /** Length of each axis. */
  readonly shape: readonly number[];
}

/** What the drive domain is told about the world that it is to drive. */
export interface DriveDomainContext {
  /** Pixels a row of the world's frames; 384. */
  readonly width: number;
  /** Rows of the world's frames; 224. */
  readonly height: number;
  /** The world's own rate; 20. */
  readonly framesPerSecond: number;
  /** Frames of each step; 1. */
  readonly framesPerStep: number;
  /** Frames of the first step; 1. */
  readonly firstStepFrames: number;
  /** `domainOptions` of the manifest: `trackSeed` and `start`, as in `DriveMappingOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The drive domain made ready for one world. */
export interface BoundDriveDomain {
  /** `driver_command` → `map` and `motion`. */
  readonly mapping: InputMapping;
  /** What it supplies at the start, by name. */
  readonly initialTensors: Readonly<Record<"map" | "motion", DriveTensor>>;
  /** What it supplies in each step, by name. */
  readonly stepTensors: Readonly<Record<"map" | "motion", DriveTensor>>;
}

/** Type of `driveDomain`. */
export interface DriveDomain {
  /** `dreamloop/drive@1`. */
  readonly id: string;
  /** Version of its behaviour, recorded in traces. */
  readonly version: string;
  /** The neutral action in physical units, by modality and field. */
  readonly neutralAction: Readonly<Record<string, { readonly value: number | boolean; readonly unit: string }>>;
  /** Makes it ready for a world; throws `invalid_value` for another size or rate and `unknown_key` for an unknown option. */
  bind(context: DriveDomainContext): BoundDriveDomain;
}

const TENSORS: Readonly<Record<"map" | "motion", DriveTensor>> = Object.freeze({
  map: { dtype: "uint8", shape: [1, MAP_PLANE_COUNT, PICTURE_HEIGHT, PICTURE_WIDTH] },
  motion: { dtype: "float32", shape: [1, MOTION_LENGTH] },
});

const readOptions = shape<DriveMappingOptions>({
  trackSeed: optional(finite({ min: 0, integer: true })),
  start: optional(
    shape<DriveStartOptions>({
      trafficCars: optional(finite({ min: 0, max: 40, integer: true })),
      speedMetresPerSecond: optional(finite({ min: -6, max: 26 })),
      stationMetres: optional(finite()),
      lateralMetres: optional(finite({ min: -30, max: 30 })),
    }),
  ),
});

/**
 * The domain `dreamloop/drive@1` of world bundles: a simulated car on a procedural road. The seed of the session chooses the
 * road unless `domainOptions.trackSeed` does.
 */
export const driveDomain: DriveDomain = Object.freeze({
  id: "dreamloop/drive@1",
  version: DRIVE_MAPPING_VERSION,
  neutralAction: Object.freeze({
    "driver_command.throttle": { value: 0, unit: "m/s2" },
    "driver_command.brake": { value: 0, unit: "m/s2" },
    "driver_command.steer": { value: 0, unit: "rad" },
    "driver_command.reverse": { value: false, unit: "1" },
    "driver_command.stop": { value: false, unit: "1" },
  }),
  bind(context: DriveDomainContext): BoundDriveDomain {
    requireEqual("video.width", context.width, PICTURE_WIDTH);
    requireEqual("video.height", context.height, PICTURE_HEIGHT);
    requireEqual("video.framesPerSecond", context.framesPerSecond, DRIVE_FRAMES_PER_SECOND);
    requireEqual("video.framesPerStep", context.framesPerStep, 1);
    requireEqual("video.firstStepFrames", context.firstStepFrames, 1);
    const options = readOptions(context.options, "domainOptions");
    return { mapping: driveMapping(options), initialTensors: TENSORS, stepTensors: TENSORS };
  },
});

function requireEqual(path: string, found: number, expected: number): void {
  if (found !== expected) refuse(path, `${expected}, the only value that dreamloop/drive@1 serves`, found);
}
