export { CAMERA_HEIGHT_METRES, driverCamera, type DriveCamera } from "./camera.ts";
export { NEUTRAL_DRIVER_COMMAND } from "./command.ts";
export {
  DRIVE_FRAMES_PER_SECOND,
  DRIVE_STEP_SECONDS,
  LANE_CENTRE_METRES,
  PICTURE_HEIGHT,
  PICTURE_WIDTH,
  ROAD_HALF_WIDTH_METRES,
  SHOULDER_OUTER_METRES,
  SUN_AZIMUTH_RADIANS,
} from "./dimensions.ts";
export { MOTION_LENGTH, motionVector } from "./motion.ts";
export { Material, MATERIAL_COLOURS, type MaterialId } from "./raster/materials.ts";
export { SceneRasteriser } from "./raster/scene.ts";
export {
  createMapTarget,
  MAP_PLANE_COUNT,
  MAP_PLANES,
  planeViews,
  type GroundCover,
  type PlaneViews,
  type SceneTarget,
} from "./raster/target.ts";
export type { SceneryKind, SceneryObject } from "./scenery.ts";
export {
  advanceDrive,
  createDriveState,
  DEFAULT_START_SPEED_METRES_PER_SECOND,
  DEFAULT_TRAFFIC_CARS,
  type DriveStartOptions,
  type DriveState,
} from "./state.ts";
export { lateralAt, stationAt, surfaceKindAt, type SurfaceGrid, type SurfaceKind } from "./surface.ts";
export { createTrack, trackPointAt, wrapStation, type Track, type TrackPoint } from "./track.ts";
export { trafficPose, type TrafficCar, type TrafficKind, type TrafficPose } from "./traffic.ts";
export {
  advanceVehicle,
  MAXIMUM_REVERSE_SPEED_METRES_PER_SECOND,
  MAXIMUM_SPEED_METRES_PER_SECOND,
  MAXIMUM_STEER_ANGLE_RADIANS,
  steerLimitRadians,
  wrapAngle,
  type VehicleState,
} from "./vehicle.ts";
export { createDriveWorld, type DriveWorld } from "./world.ts";
export { DRIVE_FIELDS, DRIVE_MAPPING_VERSION, driveMapping, type DriveMappingOptions } from "./drive-mapping.ts";
export {
  driveDomain,
  type BoundDriveDomain,
  type DriveDomain,
  type DriveDomainContext,
  type DriveTensor,
} from "./drive-domain.ts";
