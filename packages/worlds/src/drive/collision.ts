import { exactCos, exactSin } from "@dreamloop/core";
import { HOUSE_HALF_DEPTH_METRES, HOUSE_HALF_LENGTH_METRES, type SceneryObject } from "./scenery.ts";
import type { VehicleState } from "./vehicle.ts";

/** A circle that stands for a part of something solid. */
export interface SolidDisc {
  /** x of the middle, in metres. */
  readonly xMetres: number;
  /** y of the middle, in metres. */
  readonly yMetres: number;
  /** Radius, in metres. */
  readonly radiusMetres: number;
}

/** Outcome of the collision check of one step. */
export interface CollisionResult {
  /** The car, moved out of what it touched and slowed. */
  readonly vehicle: VehicleState;
  /** Speed into the obstacle, in m/s; 0 without contact. */
  readonly impactMetresPerSecond: number;
}

/** Half of the length of a car, in metres. */
export const CAR_HALF_LENGTH_METRES = 2.15;

/**
 * The two circles that stand for a car.
 *
 * @param xMetres x of its middle.
 * @param yMetres y of its middle.
 * @param headingRadians Its heading.
 * @returns Front and rear circle.
 */
export function carDiscs(xMetres: number, yMetres: number, headingRadians: number): readonly [SolidDisc, SolidDisc] {
  const offset = CAR_HALF_LENGTH_METRES - 1;
  const dx = exactCos(headingRadians) * offset;
  const dy = exactSin(headingRadians) * offset;
  return [
    { xMetres: xMetres + dx, yMetres: yMetres + dy, radiusMetres: 1.05 },
    { xMetres: xMetres - dx, yMetres: yMetres - dy, radiusMetres: 1.05 },
  ];
}

/**
 * Pushes the car out of everything solid it has entered. A frontal hit throws it back a little, a glancing one slows it.
 *
 * @param vehicle The car after its step.
 * @param scenery Objects beside the road.
 * @param discs Circles of the other cars.
 * @returns The corrected car and the strength of the hit.
 */
export function resolveCollisions(
  vehicle: VehicleState,
  scenery: readonly SceneryObject[],
  discs: readonly SolidDisc[],
): CollisionResult {
  let current = vehicle;
  let impact = 0;
  for (let pass = 0; pass < 3; pass++) {
    const contact = deepestContact(current, scenery, discs);
    if (contact === undefined) break;
    const facing =
      contact.normalX * exactCos(current.headingRadians) + contact.normalY * exactSin(current.headingRadians);
    const into = -facing * current.speedMetresPerSecond;
    let speed = current.speedMetresPerSecond;
    if (into > 0) {
      impact = Math.max(impact, into);
      speed *= Math.abs(facing) > 0.5 ? -0.12 : 0.85;
      if (Math.abs(speed) < 0.3) speed = 0;
    }
    current = {
      ...current,
      xMetres: current.xMetres + contact.normalX * contact.depth,
      yMetres: current.yMetres + contact.normalY * contact.depth,
      speedMetresPerSecond: speed,
    };
  }
  return { vehicle: current, impactMetresPerSecond: impact };
}

interface Contact {
  readonly normalX: number;
  readonly normalY: number;
  readonly depth: number;
}

function deepestContact(
  vehicle: VehicleState,
  scenery: readonly SceneryObject[],
  discs: readonly SolidDisc[],
): Contact | undefined {
  let deepest: Contact | undefined;
  const keep = (contact: Contact | undefined): void => {
    if (contact !== undefined && (deepest === undefined || contact.depth > deepest.depth)) deepest = contact;
  };
  const own = carDiscs(vehicle.xMetres, vehicle.yMetres, vehicle.headingRadians);
  for (const disc of own) {
    for (const other of discs) keep(discContact(disc, other.xMetres, other.yMetres, other.radiusMetres));
    for (const object of scenery) {
      const dx = object.xMetres - disc.xMetres;
      const dy = object.yMetres - disc.yMetres;
      if (dx * dx + dy * dy > 100) continue;
      keep(
        object.kind === "house"
          ? houseContact(disc, object)
          : discContact(disc, object.xMetres, object.yMetres, object.solidRadiusMetres),
      );
    }
  }
  return deepest;
}

function discContact(disc: SolidDisc, x: number, y: number, radius: number): Contact | undefined {
  const dx = disc.xMetres - x;
  const dy = disc.yMetres - y;
  const distance = Math.sqrt(dx * dx + dy * dy);
  const depth = disc.radiusMetres + radius - distance;
  if (depth <= 0) return undefined;
  if (distance === 0) return { normalX: 1, normalY: 0, depth };
  return { normalX: dx / distance, normalY: dy / distance, depth };
}

function houseContact(disc: SolidDisc, house: SceneryObject): Contact | undefined {
  const cos = exactCos(house.headingRadians);
  const sin = exactSin(house.headingRadians);
  const dx = disc.xMetres - house.xMetres;
  const dy = disc.yMetres - house.yMetres;
  const along = dx * cos + dy * sin;
  const across = dy * cos - dx * sin;
  const overAlong = HOUSE_HALF_LENGTH_METRES + disc.radiusMetres - Math.abs(along);
  const overAcross = HOUSE_HALF_DEPTH_METRES + disc.radiusMetres - Math.abs(across);
  if (overAlong <= 0 || overAcross <= 0) return undefined;
  if (overAlong < overAcross) {
    const sign = along < 0 ? -1 : 1;
    return { normalX: cos * sign, normalY: sin * sign, depth: overAlong };
  }
  const sign = across < 0 ? -1 : 1;
  return { normalX: -sin * sign, normalY: cos * sign, depth: overAcross };
}
