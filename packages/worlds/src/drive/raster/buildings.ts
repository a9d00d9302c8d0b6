import type { DriveCamera } from "../camera.ts";
import { HOUSE_HALF_DEPTH_METRES, HOUSE_HALF_LENGTH_METRES, type SceneryObject } from "../scenery.ts";
import { Material } from "./materials.ts";
import { SolidPainter } from "./solids.ts";
import type { PixelWriter } from "./target.ts";

const LENGTH = HOUSE_HALF_LENGTH_METRES;
const DEPTH = HOUSE_HALF_DEPTH_METRES;
const ROOF_RISE_METRES = 2.6;
const EAVES_METRES = 0.45;

/**
 * Draws a house: walls with windows and doors, gables, and a roof of two slopes.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param house The house.
 */
export function drawHouse(camera: DriveCamera, writer: PixelWriter, house: SceneryObject): void {
  const painter = new SolidPainter(camera, writer, house.xMetres, house.yMetres, house.headingRadians);
  const wall = Material.plasterWhite + house.variant;
  const eaves = house.heightMetres;
  const ridge = eaves + ROOF_RISE_METRES;
  for (const side of [-1, 1]) {
    const x = side * LENGTH;
    painter.face(
      [x, -side * DEPTH, 0, x, side * DEPTH, 0, x, side * DEPTH, eaves, x, 0, ridge, x, -side * DEPTH, eaves],
      side,
      0,
      wall,
    );
    windowOnGable(painter, side, eaves);
  }
  for (const side of [-1, 1]) {
    const y = side * DEPTH;
    painter.face(
      [side * LENGTH, y, 0, -side * LENGTH, y, 0, -side * LENGTH, y, eaves, side * LENGTH, y, eaves],
      0,
      side,
      wall,
    );
    for (const place of [-3.4, 3.4]) panel(painter, side, place, 1.1, 1, 2.3, Material.window);
    panel(painter, side, 0, 0.6, 0, 2.1, Material.door);
    if (eaves > 4.1) for (const place of [-3.4, 0, 3.4]) panel(painter, side, place, 0.9, 3, 3.9, Material.window);
  }
  for (const side of [-1, 1]) {
    const low = eaves - EAVES_METRES * 0.65;
    const edge = side * (DEPTH + EAVES_METRES);
    const end = LENGTH + EAVES_METRES;
    painter.face(
      [side * end, edge, low, -side * end, edge, low, -side * end, 0, ridge, side * end, 0, ridge],
      0,
      side,
      Material.roof,
      0.6,
    );
  }
}

function panel(
  painter: SolidPainter,
  side: number,
  place: number,
  half: number,
  low: number,
  high: number,
  material: number,
): void {
  const y = side * (DEPTH + 0.02);
  const a = place - half;
  const b = place + half;
  painter.face([a, y, low, b, y, low, b, y, high, a, y, high], 0, side, material);
}

function windowOnGable(painter: SolidPainter, side: number, eaves: number): void {
  const x = side * (LENGTH + 0.02);
  for (const place of [-1.9, 1.9]) {
    const a = place - 0.7;
    const b = place + 0.7;
    painter.face([x, a, 1, x, b, 1, x, b, 2.3, x, a, 2.3], side, 0, Material.window);
  }
  painter.face(
    [x, -0.6, eaves - 0.4, x, 0.6, eaves - 0.4, x, 0.6, eaves + 0.7, x, -0.6, eaves + 0.7],
    side,
    0,
    Material.window,
  );
}

/**
 * Draws a street lamp: a post, an arm over the road and the light.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param lamp The lamp.
 */
export function drawLamp(camera: DriveCamera, writer: PixelWriter, lamp: SceneryObject): void {
  const painter = new SolidPainter(camera, writer, lamp.xMetres, lamp.yMetres, lamp.headingRadians);
  const straight = { taperRear: 0, taperFront: 0, taperSide: 0 };
  const top = lamp.heightMetres;
  painter.box({ fromAlong: -0.08, toAlong: 0.08, halfWidth: 0.08, fromUp: 0, toUp: top, ...straight }, Material.post);
  painter.box(
    { fromAlong: -0.05, toAlong: 1.5, halfWidth: 0.05, fromUp: top - 0.12, toUp: top, ...straight },
    Material.post,
  );
  painter.box(
    { fromAlong: 1.1, toAlong: 1.9, halfWidth: 0.17, fromUp: top - 0.25, toUp: top - 0.05, ...straight },
    Material.lampHead,
  );
}

/**
 * Draws a bend sign: a red board on a post with a white chevron that points the way.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param sign The sign.
 */
export function drawSign(camera: DriveCamera, writer: PixelWriter, sign: SceneryObject): void {
  const painter = new SolidPainter(camera, writer, sign.xMetres, sign.yMetres, sign.headingRadians);
  const straight = { taperRear: 0, taperFront: 0, taperSide: 0 };
  painter.box({ fromAlong: -0.04, toAlong: 0.04, halfWidth: 0.04, fromUp: 0, toUp: 0.8, ...straight }, Material.post);
  const low = 0.7;
  const high = sign.heightMetres;
  const middle = (low + high) / 2;
  for (const face of [-1, 1]) {
    const x = face * 0.06;
    painter.face([x, -0.5, low, x, 0.5, low, x, 0.5, high, x, -0.5, high], face, 0, Material.signRed);
    // Variant 0 stands outside a bend to the left.
    const tip = sign.variant === 0 ? 0.3 : -0.3;
    const far = face * 0.07;
    for (const end of [low + 0.08, high - 0.08]) {
      painter.face(
        [far, -tip * 0.7, end, far, -tip * 0.1, end, far, tip, middle, far, tip * 0.4, middle],
        face,
        0,
        Material.signWhite,
      );
    }
  }
}
