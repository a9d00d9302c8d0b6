import { createScenery, type SceneryObject } from "./scenery.ts";
import { createSurfaceGrid, type SurfaceGrid } from "./surface.ts";
import { createTrack, type Track } from "./track.ts";

/** Everything about a drive that never changes: the road, the ground and what stands beside the road. */
export interface DriveWorld {
  /** Seed of the track. */
  readonly seed: number;
  /** The road. */
  readonly track: Track;
  /** The ground. */
  readonly surface: SurfaceGrid;
  /** Trees, houses, lamps and signs. */
  readonly scenery: readonly SceneryObject[];
}

/**
 * Makes the world of a seed. Takes some tens of milliseconds and about ten megabytes; keep it as long as drives on it go on.
 *
 * @param seed Seed of the track.
 * @returns The world; the same seed gives the same bits everywhere.
 */
export function createDriveWorld(seed: number): DriveWorld {
  const track = createTrack(seed);
  const surface = createSurfaceGrid(track);
  return { seed, track, surface, scenery: createScenery(track, surface) };
}
