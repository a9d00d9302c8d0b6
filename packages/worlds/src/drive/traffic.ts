import { exactAtan2 } from "@dreamloop/core";
import { carDiscs, type SolidDisc } from "./collision.ts";
import { LANE_CENTRE_METRES } from "./dimensions.ts";
import { driveRandom } from "./random.ts";
import { lateralAt, stationAt } from "./surface.ts";
import { trackPointAt, wrapStation } from "./track.ts";
import type { VehicleState } from "./vehicle.ts";
import type { DriveWorld } from "./world.ts";

/** Shapes of the other cars. */
export type TrafficKind = "saloon" | "van";

/** One other car. Plain values only. */
export interface TrafficCar {
  /** Distance along the centre line, in metres. */
  readonly stationMetres: number;
  /** 1 drives with growing station on the right, −1 against it on the other side. */
  readonly direction: 1 | -1;
  /** Present speed, in m/s, never negative. */
  readonly speedMetresPerSecond: number;
  /** Speed it keeps on an empty straight road, in m/s. */
  readonly cruiseMetresPerSecond: number;
  /** Shape. */
  readonly kind: TrafficKind;
  /** Index of the body colour. */
  readonly colour: number;
  /** How long it still stands after having been hit, in seconds. */
  readonly haltedSeconds: number;
  /** Whether its brake lights are on. */
  readonly braking: boolean;
}

/** Place and direction of another car on the ground plane. */
export interface TrafficPose {
  /** x of its middle, in metres. */
  readonly xMetres: number;
  /** y of its middle, in metres. */
  readonly yMetres: number;
  /** Heading, in radians. */
  readonly headingRadians: number;
}

/** Number of body colours. */
export const TRAFFIC_COLOURS = 6;

const MINIMUM_GAP_METRES = 7;
const TIME_GAP_SECONDS = 1.3;
const ACCELERATION = 1.8;
const COMFORTABLE_BRAKING = 3;
const HARDEST_BRAKING = 8;

/**
 * Places the other cars on a track.
 *
 * @param world The world.
 * @param count How many cars.
 * @param keepClearStationMetres Station of the driven car; no car starts near it.
 * @returns The cars.
 */
export function createTraffic(world: DriveWorld, count: number, keepClearStationMetres: number): TrafficCar[] {
  const random = driveRandom(world.seed, "traffic");
  const cars: TrafficCar[] = [];
  const spacing = world.track.lengthMetres / Math.max(1, count);
  for (let index = 0; index < count; index++) {
    const stationMetres = wrapStation(world.track, (index + 0.2 + 0.6 * random.nextUniform()) * spacing);
    const direction = random.nextUniform() < 0.5 ? 1 : -1;
    const cruise = 8 + 7 * random.nextUniform();
    const kind: TrafficKind = random.nextUniform() < 0.25 ? "van" : "saloon";
    const colour = Math.floor(random.nextUniform() * TRAFFIC_COLOURS);
    const ahead = wrapStation(world.track, stationMetres - keepClearStationMetres);
    if (Math.min(ahead, world.track.lengthMetres - ahead) < 18) continue;
    cars.push({
      stationMetres,
      direction,
      speedMetresPerSecond: cruise * 0.8,
      cruiseMetresPerSecond: cruise,
      kind,
      colour,
      haltedSeconds: 0,
      braking: false,
    });
  }
  return cars;
}

/**
 * Where a car is.
 *
 * @param world The world.
 * @param car The car.
 * @returns Its pose.
 */
export function trafficPose(world: DriveWorld, car: TrafficCar): TrafficPose {
  const point = trackPointAt(world.track, car.stationMetres, -car.direction * LANE_CENTRE_METRES);
  return {
    xMetres: point.xMetres,
    yMetres: point.yMetres,
    headingRadians: exactAtan2(car.direction * point.tangentY, car.direction * point.tangentX),
  };
}

/**
 * Advances all other cars: each keeps to its lane, slows for bends, keeps its distance to the next car and to the driven
 * car, and stays where it is rather than drive into the driven car.
 *
 * @param world The world.
 * @param cars Cars before the step.
 * @param ego The driven car, after its own step.
 * @param dtSeconds Length of the step, in seconds.
 * @returns Cars after the step.
 */
export function advanceTraffic(
  world: DriveWorld,
  cars: readonly TrafficCar[],
  ego: VehicleState,
  dtSeconds: number,
): TrafficCar[] {
  const egoStation = stationAt(world.surface, ego.xMetres, ego.yMetres);
  const egoLateral = lateralAt(world.surface, ego.xMetres, ego.yMetres);
  const egoDiscs = carDiscs(ego.xMetres, ego.yMetres, ego.headingRadians);
  return cars.map((car) => {
    const halted = Math.max(0, car.haltedSeconds - dtSeconds);
    let gap = gapToLeader(world, cars, car);
    let closing = gap.closingMetresPerSecond;
    if (egoStation !== undefined && Math.abs(egoLateral + car.direction * LANE_CENTRE_METRES) < 2.2) {
      const distance = wrapStation(world.track, car.direction * (egoStation - car.stationMetres));
      if (distance < gap.metres && distance < 80) {
        gap = { metres: distance, closingMetresPerSecond: 0 };
        closing = car.speedMetresPerSecond - egoSpeedAlong(world, ego, egoStation, car.direction);
      }
    }
    const speed =
      car.haltedSeconds > 0 ? 0 : followingSpeed(car, desiredSpeed(world, car), gap.metres, closing, dtSeconds);
    const moved: TrafficCar = {
      ...car,
      stationMetres: wrapStation(world.track, car.stationMetres + car.direction * speed * dtSeconds),
      speedMetresPerSecond: speed,
      haltedSeconds: halted,
      braking: speed < car.speedMetresPerSecond - 0.8 * dtSeconds || speed < 0.1,
    };
    if (!touches(world, moved, egoDiscs)) return moved;
    return { ...moved, stationMetres: car.stationMetres, speedMetresPerSecond: 0, haltedSeconds: 1, braking: true };
  });
}

/**
 * The circles of all other cars near a place, for collision checks.
 *
 * @param world The world.
 * @param cars The other cars.
 * @param vehicle The driven car.
 * @returns Two circles per car within 12 m.
 */
export function trafficDiscs(world: DriveWorld, cars: readonly TrafficCar[], vehicle: VehicleState): SolidDisc[] {
  const discs: SolidDisc[] = [];
  for (const car of cars) {
    const pose = trafficPose(world, car);
    const dx = pose.xMetres - vehicle.xMetres;
    const dy = pose.yMetres - vehicle.yMetres;
    if (dx * dx + dy * dy < 144) discs.push(...carDiscs(pose.xMetres, pose.yMetres, pose.headingRadians));
  }
  return discs;
}

function touches(world: DriveWorld, car: TrafficCar, egoDiscs: readonly SolidDisc[]): boolean {
  const pose = trafficPose(world, car);
  for (const disc of carDiscs(pose.xMetres, pose.yMetres, pose.headingRadians)) {
    for (const other of egoDiscs) {
      const dx = disc.xMetres - other.xMetres;
      const dy = disc.yMetres - other.yMetres;
      const reach = disc.radiusMetres + other.radiusMetres + 0.05;
      if (dx * dx + dy * dy < reach * reach) return true;
    }
  }
  return false;
}

function gapToLeader(
  world: DriveWorld,
  cars: readonly TrafficCar[],
  car: TrafficCar,
): { metres: number; closingMetresPerSecond: number } {
  let metres = Infinity;
  let closingMetresPerSecond = 0;
  for (const other of cars) {
    if (other === car || other.direction !== car.direction) continue;
    const distance = wrapStation(world.track, car.direction * (other.stationMetres - car.stationMetres));
    if (distance >= metres) continue;
    metres = distance;
    closingMetresPerSecond = car.speedMetresPerSecond - other.speedMetresPerSecond;
  }
  return { metres, closingMetresPerSecond };
}

function egoSpeedAlong(world: DriveWorld, ego: VehicleState, station: number, direction: 1 | -1): number {
  const point = trackPointAt(world.track, station);
  const along = ego.headingRadians - exactAtan2(point.tangentY, point.tangentX);
  // Chord instead of a cosine: only the sign and rough size matter here.
  const turn = Math.abs(along - 6.283185307179586 * Math.round(along / 6.283185307179586));
  return ego.speedMetresPerSecond * (1 - (2 * turn) / 3.141592653589793) * direction;
}

function desiredSpeed(world: DriveWorld, car: TrafficCar): number {
  const look = car.stationMetres + car.direction * (4 + car.speedMetresPerSecond);
  const bend = Math.abs(trackPointAt(world.track, look).curvature);
  return Math.min(car.cruiseMetresPerSecond, Math.sqrt(2.5 / Math.max(bend, 1e-3)));
}

// The intelligent driver model of Treiber, Hennecke and Helbing (2000), with braking limited.
function followingSpeed(
  car: TrafficCar,
  desired: number,
  gapMetres: number,
  closing: number,
  dtSeconds: number,
): number {
  const speed = car.speedMetresPerSecond;
  const ratio = speed / desired;
  const wanted =
    MINIMUM_GAP_METRES +
    Math.max(0, speed * TIME_GAP_SECONDS + (speed * closing) / (2 * Math.sqrt(ACCELERATION * COMFORTABLE_BRAKING)));
  const crowd = wanted / Math.max(0.5, gapMetres);
  const acceleration = ACCELERATION * (1 - ratio * ratio * ratio * ratio - crowd * crowd);
  return Math.max(0, speed + Math.max(-HARDEST_BRAKING, acceleration) * dtSeconds);
}
