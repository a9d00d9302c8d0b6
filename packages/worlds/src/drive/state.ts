import { exactAtan2, type DriverCommand } from "@dreamloop/core";
import { resolveCollisions } from "./collision.ts";
import { LANE_CENTRE_METRES } from "./dimensions.ts";
import { driveRandom } from "./random.ts";
import { lateralAt, surfaceKindAt } from "./surface.ts";
import { trackPointAt } from "./track.ts";
import { advanceTraffic, createTraffic, trafficDiscs, type TrafficCar } from "./traffic.ts";
import { advanceVehicle, type VehicleState } from "./vehicle.ts";
import type { DriveWorld } from "./world.ts";

/** All that changes during a drive: plain numbers, strings and booleans, ready for JSON. */
export interface DriveState {
  /** Seed of the world this state belongs to. */
  readonly worldSeed: number;
  /** Steps taken so far. */
  readonly stepIndex: number;
  /** The driven car. */
  readonly ego: VehicleState;
  /** The other cars. */
  readonly traffic: readonly TrafficCar[];
  /** Pedals as applied in the last step: accelerator, 0..1. */
  readonly throttle: number;
  /** Pedals as applied in the last step: brake, 0..1. */
  readonly brake: number;
  /** Speed into an obstacle in the last step, in m/s; 0 without contact. */
  readonly impactMetresPerSecond: number;
}

/** How a drive starts. */
export interface DriveStartOptions {
  /** Number of other cars; default 9. */
  readonly trafficCars?: number;
  /** Speed at the start, in m/s; default 8. */
  readonly speedMetresPerSecond?: number;
  /** Place on the road at the start, in metres along the centre line; default chosen by the seed. */
  readonly stationMetres?: number;
  /** Offset to the left of the centre line at the start, in metres; default the middle of the right lane. */
  readonly lateralMetres?: number;
}

/** Number of other cars a drive starts with unless told otherwise. */
export const DEFAULT_TRAFFIC_CARS = 9;

/** Speed a drive starts with unless told otherwise, in m/s. */
export const DEFAULT_START_SPEED_METRES_PER_SECOND = 8;

/**
 * The state at the start of a drive.
 *
 * @param world The world to drive in.
 * @param options How to start.
 * @returns The state before the first step.
 */
export function createDriveState(world: DriveWorld, options: DriveStartOptions = {}): DriveState {
  const random = driveRandom(world.seed, "start");
  const stationMetres = options.stationMetres ?? random.nextUniform() * world.track.lengthMetres;
  const point = trackPointAt(world.track, stationMetres, options.lateralMetres ?? -LANE_CENTRE_METRES);
  return {
    worldSeed: world.seed,
    stepIndex: 0,
    ego: {
      xMetres: point.xMetres,
      yMetres: point.yMetres,
      headingRadians: exactAtan2(point.tangentY, point.tangentX),
      speedMetresPerSecond: options.speedMetresPerSecond ?? DEFAULT_START_SPEED_METRES_PER_SECOND,
      steerAngleRadians: 0,
      yawRateRadiansPerSecond: 0,
      accelerationMetresPerSecondSquared: 0,
    },
    traffic: createTraffic(world, options.trafficCars ?? DEFAULT_TRAFFIC_CARS, stationMetres),
    throttle: 0,
    brake: 0,
    impactMetresPerSecond: 0,
  };
}

/**
 * Advances a drive by one step. Pure: the state given is not changed.
 *
 * @param world The world of the state.
 * @param state State before the step.
 * @param command What the driver does.
 * @param dtSeconds Length of the step, in seconds.
 * @returns State after the step.
 */
export function advanceDrive(
  world: DriveWorld,
  state: DriveState,
  command: DriverCommand,
  dtSeconds: number,
): DriveState {
  const surface = surfaceKindAt(lateralAt(world.surface, state.ego.xMetres, state.ego.yMetres));
  const moved = advanceVehicle(state.ego, command, surface, dtSeconds);
  const discs = trafficDiscs(world, state.traffic, moved);
  const { vehicle, impactMetresPerSecond } = resolveCollisions(moved, world.scenery, discs);
  return {
    worldSeed: state.worldSeed,
    stepIndex: state.stepIndex + 1,
    ego: vehicle,
    traffic: advanceTraffic(world, state.traffic, vehicle, dtSeconds),
    throttle: command.stop ? 0 : Math.max(0, Math.min(1, command.throttle)),
    brake: command.stop ? 1 : Math.max(0, Math.min(1, command.brake)),
    impactMetresPerSecond,
  };
}
