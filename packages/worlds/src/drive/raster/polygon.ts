import { NEAR_METRES, type DriveCamera } from "../camera.ts";
import { nearnessOf, type PixelWriter } from "./target.ts";

/** A polygon in camera space, as triples of right, up and forward, in metres; convex. */
export type CameraPolygon = readonly number[];

/** A point of the picture. */
export interface PicturePoint {
  /** Column, in pixels. */
  x: number;
  /** Row, in pixels. */
  y: number;
}

/**
 * Moves a point on the ground into camera space.
 *
 * @param camera The view.
 * @param xMetres x of the point.
 * @param yMetres y of the point.
 * @returns Metres to the right and metres ahead.
 */
export function toCamera(camera: DriveCamera, xMetres: number, yMetres: number): { right: number; ahead: number } {
  const dx = xMetres - camera.xMetres;
  const dy = yMetres - camera.yMetres;
  return {
    right: dx * camera.forwardY - dy * camera.forwardX,
    ahead: dx * camera.forwardX + dy * camera.forwardY,
  };
}

/**
 * Cuts a polygon at the near plane and projects it.
 *
 * @param camera The view.
 * @param polygon The polygon, with heights above the ground.
 * @returns Corners in the picture; fewer than three if nothing is left.
 */
export function projectPolygon(camera: DriveCamera, polygon: CameraPolygon): PicturePoint[] {
  const corners: PicturePoint[] = [];
  const count = polygon.length / 3;
  for (let index = 0; index < count; index++) {
    const next = (index + 1) % count;
    const z0 = polygon[3 * index + 2];
    const z1 = polygon[3 * next + 2];
    if (z0 >= NEAR_METRES) corners.push(project(camera, polygon[3 * index], polygon[3 * index + 1], z0));
    if (z0 >= NEAR_METRES !== z1 >= NEAR_METRES) {
      const share = (NEAR_METRES - z0) / (z1 - z0);
      const right = polygon[3 * index] + (polygon[3 * next] - polygon[3 * index]) * share;
      const up = polygon[3 * index + 1] + (polygon[3 * next + 1] - polygon[3 * index + 1]) * share;
      corners.push(project(camera, right, up, NEAR_METRES));
    }
  }
  return corners;
}

/**
 * Fills a convex polygon of the picture with smoothed edges.
 *
 * @param corners Its corners, in either direction.
 * @param width Width of the picture.
 * @param height Height of the picture.
 * @param span Called for every covered pixel with its index and coverage.
 */
export function fillConvex(
  corners: readonly PicturePoint[],
  width: number,
  height: number,
  span: (index: number, coverage: number) => void,
): void {
  if (corners.length < 3) return;
  let top = Infinity;
  let bottom = -Infinity;
  for (const corner of corners) {
    top = Math.min(top, corner.y);
    bottom = Math.max(bottom, corner.y);
  }
  const firstRow = Math.max(0, Math.floor(top));
  const lastRow = Math.min(height - 1, Math.ceil(bottom) - 1);
  for (let row = firstRow; row <= lastRow; row++) {
    const share = Math.min(row + 1, bottom) - Math.max(row, top);
    if (share <= 0) continue;
    const y = Math.max(top, Math.min(bottom, row + 0.5));
    let left = Infinity;
    let right = -Infinity;
    for (let index = 0; index < corners.length; index++) {
      const a = corners[index];
      const b = corners[index + 1 === corners.length ? 0 : index + 1];
      if (a.y > y !== b.y > y || a.y === y || b.y === y) {
        const x = a.y === b.y ? a.x : a.x + ((b.x - a.x) * (y - a.y)) / (b.y - a.y);
        if ((y >= a.y && y <= b.y) || (y >= b.y && y <= a.y)) {
          left = Math.min(left, x);
          right = Math.max(right, x);
        }
      }
    }
    if (right <= left) continue;
    const firstColumn = Math.max(0, Math.floor(left));
    const lastColumn = Math.min(width - 1, Math.ceil(right) - 1);
    for (let column = firstColumn; column <= lastColumn; column++) {
      const covered = Math.min(column + 1, right) - Math.max(column, left);
      if (covered > 0) span(row * width + column, covered * share);
    }
  }
}

/**
 * Draws a polygon of one material.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param polygon The polygon in camera space.
 * @param material Its material.
 * @param detail Detail byte of its face.
 */
export function drawPolygon(
  camera: DriveCamera,
  writer: PixelWriter,
  polygon: CameraPolygon,
  material: number,
  detail: number,
): void {
  let ahead = 0;
  for (let index = 2; index < polygon.length; index += 3) ahead += polygon[index];
  writer.use(material, nearnessOf(Math.max(NEAR_METRES, (3 * ahead) / polygon.length)));
  fillConvex(projectPolygon(camera, polygon), camera.width, camera.height, (index, coverage) => {
    writer.put(index, coverage, detail);
  });
}

function project(camera: DriveCamera, right: number, up: number, ahead: number): PicturePoint {
  const scale = camera.focalPixels / ahead;
  return {
    x: camera.centreColumn + right * scale,
    y: camera.horizonRow + (camera.heightMetres - up) * scale,
  };
}
