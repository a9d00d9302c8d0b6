import { exactAtan2, exactCos, exactSin } from "@dreamloop/core";
import { SHADOW_METRES_PER_METRE, SUN_AZIMUTH_RADIANS } from "./dimensions.ts";
import { driveRandom } from "./random.ts";
import { FAR_FROM_ROAD, lateralAt, stampShade, type SurfaceGrid } from "./surface.ts";
import { trackPointAt, type Track } from "./track.ts";

/** Kinds of things that stand beside the road. */
export type SceneryKind = "broadleaf" | "conifer" | "poplar" | "bush" | "house" | "lamp" | "sign";

/** One thing that stands beside the road and never moves. */
export interface SceneryObject {
  /** What it is. */
  readonly kind: SceneryKind;
  /** x of its foot, in metres. */
  readonly xMetres: number;
  /** y of its foot, in metres. */
  readonly yMetres: number;
  /** Height, in metres; for houses that of the walls. */
  readonly heightMetres: number;
  /** Direction it faces, in radians; of no effect for plants. */
  readonly headingRadians: number;
  /** Which of the looks of its kind it has: an integer from 0. */
  readonly variant: number;
  /** Radius that cars cannot enter, in metres; half of the length for houses. */
  readonly solidRadiusMetres: number;
}

/** Half of the depth of a house, in metres. */
export const HOUSE_HALF_DEPTH_METRES = 4;

/** Half of the length of a house, in metres. */
export const HOUSE_HALF_LENGTH_METRES = 5.5;

/** Number of looks per kind. */
export const SCENERY_VARIANTS = 3;

const TWO_PI = 6.283185307179586;

/**
 * Places trees, houses, lamps and signs along a track and bakes their shadows and lights into the surface's shade.
 *
 * @param track The road.
 * @param grid The surface of the same track; its shade is written.
 * @returns The objects, in no particular order.
 */
export function createScenery(track: Track, grid: SurfaceGrid): SceneryObject[] {
  const objects: SceneryObject[] = [];
  placeHouses(track, grid, objects);
  placeLamps(track, grid, objects);
  placeSigns(track, grid, objects);
  placePlants(track, grid, objects);
  for (const object of objects) stampObject(grid, object);
  return objects;
}

function placeHouses(track: Track, grid: SurfaceGrid, objects: SceneryObject[]): void {
  const random = driveRandom(track.seed, "scenery");
  let station = 20 + 30 * random.nextUniform();
  while (station < track.lengthMetres - 20) {
    const side = random.nextUniform() < 0.5 ? -1 : 1;
    const lateral = side * (13 + 9 * random.nextUniform());
    const point = trackPointAt(track, station, lateral);
    const variant = Math.floor(random.nextUniform() * SCENERY_VARIANTS);
    const heightMetres = 3 + 1.6 * random.nextUniform();
    if (clearance(grid, point.xMetres, point.yMetres) > 10.5) {
      objects.push({
        kind: "house",
        xMetres: point.xMetres,
        yMetres: point.yMetres,
        heightMetres,
        headingRadians: exactAtan2(point.tangentY, point.tangentX),
        variant,
        solidRadiusMetres: HOUSE_HALF_LENGTH_METRES,
      });
    }
    station += 34 + 70 * random.nextUniform();
  }
}

function placeLamps(track: Track, grid: SurfaceGrid, objects: SceneryObject[]): void {
  const spacing = 34;
  const count = Math.floor(track.lengthMetres / spacing);
  for (let index = 0; index < count; index++) {
    // Every third stretch of eight lamps is dark country.
    if (Math.floor(index / 5) % 2 === 1) continue;
    const side = index % 2 === 0 ? -1 : 1;
    const point = trackPointAt(track, (index + 0.5) * spacing, side * 5.7);
    if (clearance(grid, point.xMetres, point.yMetres) < 5.4) continue;
    objects.push({
      kind: "lamp",
      xMetres: point.xMetres,
      yMetres: point.yMetres,
      heightMetres: 6,
      headingRadians: exactAtan2(-side * point.tangentX, side * point.tangentY),
      variant: 0,
      solidRadiusMetres: 0.15,
    });
  }
}

function placeSigns(track: Track, grid: SurfaceGrid, objects: SceneryObject[]): void {
  let last = -100;
  for (let index = 0; index < track.x.length; index++) {
    const station = index * track.spacingMetres;
    const bend = track.curvature[index];
    if (Math.abs(bend) < 1 / 45 || station - last < 9) continue;
    last = station;
    const side = bend > 0 ? -1 : 1;
    const point = trackPointAt(track, station, side * 6.6);
    if (clearance(grid, point.xMetres, point.yMetres) < 6) continue;
    objects.push({
      kind: "sign",
      xMetres: point.xMetres,
      yMetres: point.yMetres,
      heightMetres: 1.5,
      headingRadians: exactAtan2(point.tangentY, point.tangentX),
      variant: bend > 0 ? 0 : 1,
      solidRadiusMetres: 0.2,
    });
  }
}

function placePlants(track: Track, grid: SurfaceGrid, objects: SceneryObject[]): void {
  const random = driveRandom(track.seed + 0x5eed, "scenery");
  const occupied = objects.filter((object) => object.kind === "house");
  let forest: SceneryKind = "broadleaf";
  let density = 0.6;
  for (let station = 0; station < track.lengthMetres; station += 5) {
    if (random.nextUniform() < 0.09) {
      forest = (["broadleaf", "conifer", "poplar"] as const)[Math.floor(random.nextUniform() * 3)]!;
      density = 0.25 + 0.75 * random.nextUniform();
    }
    for (let slot = 0; slot < 4; slot++) {
      const side = slot % 2 === 0 ? -1 : 1;
      const chance = random.nextUniform();
      const reach = random.nextUniform();
      const along = station + 5 * random.nextUniform();
      const mixed = random.nextUniform();
      const size = random.nextUniform();
      const variant = Math.floor(random.nextUniform() * SCENERY_VARIANTS);
      if (chance > density) continue;
      const lateral = side * (slot < 2 ? 7.5 + 9 * reach : 17 + 32 * reach * reach);
      const point = trackPointAt(track, along, lateral);
      const kind: SceneryKind = mixed < 0.16 ? "bush" : mixed < 0.3 ? "broadleaf" : forest;
      const margin = kind === "bush" ? 6.4 : 7.2;
      if (clearance(grid, point.xMetres, point.yMetres) < margin) continue;
      if (occupied.some((house) => squaredDistance(house, point.xMetres, point.yMetres) < 81)) continue;
      objects.push({
        kind,
        xMetres: point.xMetres,
        yMetres: point.yMetres,
        heightMetres: plantHeight(kind, size),
        headingRadians: TWO_PI * mixed,
        variant,
        solidRadiusMetres: kind === "bush" ? 0.4 : 0.35,
      });
    }
  }
}

function plantHeight(kind: SceneryKind, size: number): number {
  if (kind === "bush") return 1.1 + 0.9 * size;
  if (kind === "poplar") return 8.5 + 4.5 * size;
  return kind === "conifer" ? 6 + 5 * size : 5 + 3.5 * size;
}

/** Width of a plant as a share of its height. */
export const PLANT_ASPECT: Readonly<Partial<Record<SceneryKind, number>>> = Object.freeze({
  broadleaf: 0.8,
  conifer: 0.55,
  poplar: 0.28,
  bush: 1.4,
});

function stampObject(grid: SurfaceGrid, object: SceneryObject): void {
  const { xMetres, yMetres, heightMetres } = object;
  if (object.kind === "lamp") {
    const x = xMetres + 1.6 * exactCos(object.headingRadians);
    const y = yMetres + 1.6 * exactSin(object.headingRadians);
    stampShade(grid, { fromX: x, fromY: y, toX: x, toY: y, radiusMetres: 0.5, softMetres: 9, value: 255 });
    return;
  }
  const directionX = -exactCos(SUN_AZIMUTH_RADIANS) * SHADOW_METRES_PER_METRE;
  const directionY = -exactSin(SUN_AZIMUTH_RADIANS) * SHADOW_METRES_PER_METRE;
  const stroke = (low: number, high: number, radiusMetres: number): void =>
    stampShade(grid, {
      fromX: xMetres + directionX * low,
      fromY: yMetres + directionY * low,
      toX: xMetres + directionX * high,
      toY: yMetres + directionY * high,
      radiusMetres,
      softMetres: 0.9,
      value: 20,
    });
  const aspect = PLANT_ASPECT[object.kind];
  if (aspect !== undefined) {
    const half = (aspect * heightMetres) / 2;
    stroke(0, heightMetres * 0.5, 0.2);
    stroke(object.kind === "bush" ? 0 : half * 0.9, heightMetres - half * 0.6, half * 0.7);
  } else if (object.kind === "house") {
    const alongX = exactCos(object.headingRadians) * 2.6;
    const alongY = exactSin(object.headingRadians) * 2.6;
    for (const share of [-1, 0, 1]) {
      stampShade(grid, {
        fromX: xMetres + alongX * share,
        fromY: yMetres + alongY * share,
        toX: xMetres + alongX * share + directionX * (heightMetres + 1.5),
        toY: yMetres + alongY * share + directionY * (heightMetres + 1.5),
        radiusMetres: 3.4,
        softMetres: 0.9,
        value: 20,
      });
    }
  }
}

function clearance(grid: SurfaceGrid, x: number, y: number): number {
  const lateral = Math.abs(lateralAt(grid, x, y));
  return lateral > FAR_FROM_ROAD ? FAR_FROM_ROAD : lateral;
}

function squaredDistance(object: SceneryObject, x: number, y: number): number {
  const dx = object.xMetres - x;
  const dy = object.yMetres - y;
  return dx * dx + dy * dy;
}
