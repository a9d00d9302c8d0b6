import { exactCos, exactSin } from "@dreamloop/core";
import { PICTURE_HEIGHT, PICTURE_WIDTH } from "./dimensions.ts";
import type { VehicleState } from "./vehicle.ts";

/** A pinhole camera that looks level along the ground plane. */
export interface DriveCamera {
  /** x of the eye, in metres. */
  readonly xMetres: number;
  /** y of the eye, in metres. */
  readonly yMetres: number;
  /** Height of the eye above the ground, in metres. */
  readonly heightMetres: number;
  /** Direction of view, in radians. */
  readonly headingRadians: number;
  /** x of the unit vector forward. */
  readonly forwardX: number;
  /** y of the unit vector forward. */
  readonly forwardY: number;
  /** Width of the picture, in pixels. */
  readonly width: number;
  /** Height of the picture, in pixels. */
  readonly height: number;
  /** Focal length, in pixels. */
  readonly focalPixels: number;
  /** Column of the axis of view. */
  readonly centreColumn: number;
  /** Row of the horizon. */
  readonly horizonRow: number;
}

/** Height of the eye above the ground, in metres. */
export const CAMERA_HEIGHT_METRES = 1.35;

/** Distance of the eye ahead of the middle of the car, in metres. */
export const CAMERA_FORWARD_METRES = 0.3;

/** Focal length as a share of the width of the picture; gives a horizontal angle of view of about 75 degrees. */
export const FOCAL_SHARE = 0.65;

/** Row of the horizon as a share of the height of the picture. */
export const HORIZON_SHARE = 0.43;

/** Geometry nearer than this is cut off, in metres. */
export const NEAR_METRES = 0.4;

/**
 * The driver's view.
 *
 * @param vehicle The driven car.
 * @param scale Pixels per pixel of the standard picture; 1 for the map, 2 for supersampling.
 * @returns The camera.
 */
export function driverCamera(vehicle: VehicleState, scale = 1): DriveCamera {
  const forwardX = exactCos(vehicle.headingRadians);
  const forwardY = exactSin(vehicle.headingRadians);
  const width = PICTURE_WIDTH * scale;
  const height = PICTURE_HEIGHT * scale;
  return {
    xMetres: vehicle.xMetres + forwardX * CAMERA_FORWARD_METRES,
    yMetres: vehicle.yMetres + forwardY * CAMERA_FORWARD_METRES,
    heightMetres: CAMERA_HEIGHT_METRES,
    headingRadians: vehicle.headingRadians,
    forwardX,
    forwardY,
    width,
    height,
    focalPixels: FOCAL_SHARE * width,
    centreColumn: width / 2,
    horizonRow: HORIZON_SHARE * height,
  };
}
