import { createDriveWorld, type DriveWorld } from "./world.ts";

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
