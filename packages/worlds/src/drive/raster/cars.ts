import { exactCos, exactSin } from "@dreamloop/core";
import type { DriveCamera } from "../camera.ts";
import { SHADOW_METRES_PER_METRE, SUN_AZIMUTH_RADIANS } from "../dimensions.ts";
import type { TrafficCar, TrafficPose } from "../traffic.ts";
import { Material } from "./materials.ts";
import { fillConvex, projectPolygon, toCamera } from "./polygon.ts";
import { SolidPainter } from "./solids.ts";
import type { PixelWriter } from "./target.ts";

const SALOON = { half: 2.15, width: 0.9, waist: 0.92, roof: 1.46, cabinRear: -1.65, cabinFront: 0.75 };
const VAN = { half: 2.6, width: 1.0, waist: 1.15, roof: 2.35, cabinRear: -2.55, cabinFront: 1.75 };

/**
 * Draws another car as a few solids: underside, body, cabin with windows, lights.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param car The car.
 * @param pose Where it is.
 */
export function drawCar(camera: DriveCamera, writer: PixelWriter, car: TrafficCar, pose: TrafficPose): void {
  const shape = car.kind === "van" ? VAN : SALOON;
  const painter = new SolidPainter(camera, writer, pose.xMetres, pose.yMetres, pose.headingRadians);
  const body = Material.carRed + car.colour;
  const straight = { taperRear: 0, taperFront: 0, taperSide: 0 };
  const { half, width, waist, roof } = shape;
  painter.box(
    { fromAlong: 0.2 - half, toAlong: half - 0.2, halfWidth: width - 0.06, fromUp: 0, toUp: 0.36, ...straight },
    Material.tyre,
  );
  painter.box(
    {
      fromAlong: -half,
      toAlong: half,
      halfWidth: width,
      fromUp: 0.32,
      toUp: waist,
      taperRear: 0.1,
      taperFront: 0.15,
      taperSide: 0.06,
    },
    body,
  );
  painter.box(
    {
      fromAlong: shape.cabinRear,
      toAlong: shape.cabinFront,
      halfWidth: width - 0.08,
      fromUp: waist,
      toUp: roof - 0.08,
      taperRear: car.kind === "van" ? 0.05 : 0.45,
      taperFront: car.kind === "van" ? 0.5 : 0.6,
      taperSide: 0.14,
    },
    car.kind === "van" ? body : Material.glass,
  );
  drawRoof(painter, car, body, shape);
  const rear = car.braking ? Material.brakeLight : Material.tailLight;
  for (const side of [-1, 1]) {
    const outer = side * (width - 0.05);
    const inner = side * (width - 0.42);
    const [low, high] = [0.55, 0.78];
    painter.face(
      [-half - 0.01, outer, low, -half - 0.01, inner, low, -half, inner, high, -half, outer, high],
      -1,
      0,
      rear,
    );
    painter.face(
      [half + 0.01, outer, low, half + 0.01, inner, low, half, inner, high, half, outer, high],
      1,
      0,
      Material.headLight,
    );
  }
}

function drawRoof(painter: SolidPainter, car: TrafficCar, body: number, shape: typeof SALOON): void {
  const { width, waist, roof, cabinRear, cabinFront, half } = shape;
  if (car.kind === "van") {
    const glassLow = waist + 0.1;
    const glassHigh = roof - 0.35;
    const w = width - 0.16;
    painter.face(
      [-half + 0.04, -w, glassLow, -half + 0.04, w, glassLow, -half + 0.06, w, glassHigh, -half + 0.06, -w, glassHigh],
      -1,
      0,
      Material.glass,
    );
    painter.face(
      [
        cabinFront - 0.02,
        w,
        glassLow,
        cabinFront - 0.02,
        -w,
        glassLow,
        cabinFront - 0.4,
        -w,
        glassHigh,
        cabinFront - 0.4,
        w,
        glassHigh,
      ],
      1,
      0,
      Material.glass,
    );
    return;
  }
  painter.box(
    {
      fromAlong: cabinRear + 0.43,
      toAlong: cabinFront - 0.58,
      halfWidth: width - 0.21,
      fromUp: roof - 0.1,
      toUp: roof,
      taperRear: 0.05,
      taperFront: 0.05,
      taperSide: 0.05,
    },
    body,
  );
}

/**
 * Darkens the ground where a car keeps the sun off.
 *
 * @param camera The view.
 * @param shade Shade plane of the ground.
 * @param car The car.
 * @param pose Where it is.
 */
export function drawCarShadow(camera: DriveCamera, shade: Uint8Array, car: TrafficCar, pose: TrafficPose): void {
  const shape = car.kind === "van" ? VAN : SALOON;
  const cos = exactCos(pose.headingRadians);
  const sin = exactSin(pose.headingRadians);
  const reach = shape.roof * SHADOW_METRES_PER_METRE * 0.8;
  const shiftX = -exactCos(SUN_AZIMUTH_RADIANS) * reach;
  const shiftY = -exactSin(SUN_AZIMUTH_RADIANS) * reach;
  for (const share of [0, 0.5, 1]) {
    const shrink = 1 - 0.25 * share;
    const polygon: number[] = [];
    for (const [along, left] of [
      [-1, -1],
      [1, -1],
      [1, 1],
      [-1, 1],
    ] as const) {
      const a = along * (shape.half + 0.1) * shrink;
      const l = left * (shape.width + 0.12) * shrink;
      const point = toCamera(
        camera,
        pose.xMetres + a * cos - l * sin + shiftX * share,
        pose.yMetres + a * sin + l * cos + shiftY * share,
      );
      polygon.push(point.right, 0, point.ahead);
    }
    fillConvex(projectPolygon(camera, polygon), camera.width, camera.height, (index, coverage) => {
      const dark = 128 - 108 * coverage;
      if (dark < shade[index]) shade[index] = dark;
    });
  }
}
