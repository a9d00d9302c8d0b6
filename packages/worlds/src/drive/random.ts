import { randomStream, type RandomStream } from "@dreamloop/core";

/** What a draw of random numbers decides; each purpose has its own stream, so that one does not shift another. */
export type DriveRandomPurpose = "track" | "scenery" | "traffic" | "start";

/**
 * The random stream that decides one aspect of a drive world.
 *
 * @param seed Seed of the track.
 * @param purpose What the numbers decide.
 * @returns A counter-based stream that starts at its beginning.
 */
export function driveRandom(seed: number, purpose: DriveRandomPurpose): RandomStream {
  return randomStream({ seed, step: 0, subStep: 0, stream: `drive.${purpose}` });
}

/**
 * A hash of two integers to a number in [0, 1), for textures that must not depend on the order of drawing.
 *
 * @param column First integer.
 * @param row Second integer.
 * @param salt Tells textures apart.
 * @returns A number in [0, 1) that depends on nothing else.
 */
export function latticeHash(column: number, row: number, salt: number): number {
  let hash = Math.imul(column, 0x27d4eb2d) ^ Math.imul(row, 0x165667b1) ^ Math.imul(salt + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967296;
}

/**
 * Smooth value noise that repeats after `period` lattice cells in each direction.
 *
 * @param x First coordinate, in lattice cells.
 * @param y Second coordinate, in lattice cells.
 * @param periodX Cells after which the noise repeats in x.
 * @param periodY Cells after which the noise repeats in y.
 * @param salt Tells textures apart.
 * @returns A value in [0, 1).
 */
export function periodicNoise(x: number, y: number, periodX: number, periodY: number, salt: number): number {
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const fx = x - x0;
  const fy = y - y0;
  const sx = fx * fx * (3 - 2 * fx);
  const sy = fy * fy * (3 - 2 * fy);
  const wrapX = (value: number): number => ((value % periodX) + periodX) % periodX;
  const wrapY = (value: number): number => ((value % periodY) + periodY) % periodY;
  const a = latticeHash(wrapX(x0), wrapY(y0), salt);
  const b = latticeHash(wrapX(x0 + 1), wrapY(y0), salt);
  const c = latticeHash(wrapX(x0), wrapY(y0 + 1), salt);
  const d = latticeHash(wrapX(x0 + 1), wrapY(y0 + 1), salt);
  return (a + (b - a) * sx) * (1 - sy) + (c + (d - c) * sx) * sy;
}
