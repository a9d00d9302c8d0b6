import { exactAtan2 } from "@dreamloop/core";
import type { DriveCamera } from "../camera.ts";
import { Material, MATERIAL_COLOURS } from "./materials.ts";
import { NEUTRAL_BYTE, type PlaneViews } from "./target.ts";
import { CLOUD_ROWS, CLOUD_TOP_TANGENT, PANORAMA_COLUMNS, type SceneTextures } from "./textures.ts";

/** What depends on the size of the picture alone, computed once. */
export interface ColumnTable {
  /** Columns of the panorama to the right of the axis of view, per pixel column. */
  readonly panoramaOffset: Float64Array;
  /** Cosine of the angle between the column and the axis of view. */
  readonly cosine: Float64Array;
}

const TWO_PI = 6.283185307179586;

/**
 * Computes the column table of a camera.
 *
 * @param camera A camera of the size wanted.
 * @returns The table.
 */
export function createColumnTable(camera: DriveCamera): ColumnTable {
  const panoramaOffset = new Float64Array(camera.width);
  const cosine = new Float64Array(camera.width);
  for (let column = 0; column < camera.width; column++) {
    const right = (column + 0.5 - camera.centreColumn) / camera.focalPixels;
    panoramaOffset[column] = (exactAtan2(right, 1) / TWO_PI) * PANORAMA_COLUMNS;
    cosine[column] = 1 / Math.sqrt(1 + right * right);
  }
  return { panoramaOffset, cosine };
}

/**
 * Draws sky and hills above the horizon.
 *
 * @param camera The view.
 * @param textures Clouds and hill lines.
 * @param table Column table of this size of picture.
 * @param views Planes to draw to.
 * @param materials Material plane, if wanted.
 */
export function drawSky(
  camera: DriveCamera,
  textures: SceneTextures,
  table: ColumnTable,
  views: PlaneViews,
  materials: Uint8Array | undefined,
): void {
  const { width, focalPixels, horizonRow } = camera;
  const rows = Math.ceil(horizonRow - 0.5);
  const end = rows * width;
  fillMaterial(views, materials, 0, end);
  const heading = (-camera.headingRadians / TWO_PI) * PANORAMA_COLUMNS + 4 * PANORAMA_COLUMNS;
  for (let column = 0; column < width; column++) {
    const turn = heading + table.panoramaOffset[column];
    const whole = Math.floor(turn);
    const weight = turn - whole;
    const first = whole & (PANORAMA_COLUMNS - 1);
    const second = (whole + 1) & (PANORAMA_COLUMNS - 1);
    const scale = focalPixels / table.cosine[column];
    const far = (textures.farHills[first] * (1 - weight) + textures.farHills[second] * weight) * scale;
    const near = (textures.nearHills[first] * (1 - weight) + textures.nearHills[second] * weight) * scale;
    const skyRows = Math.min(rows, Math.ceil(horizonRow - Math.max(far, near)));
    const rowScale = (CLOUD_ROWS / CLOUD_TOP_TANGENT) * (table.cosine[column] / focalPixels);
    for (let row = 0; row < skyRows; row++) {
      const height = Math.min(CLOUD_ROWS - 1.001, (horizonRow - row - 0.5) * rowScale);
      const low = height | 0;
      const rise = height - low;
      const base = low * PANORAMA_COLUMNS;
      const lower = textures.clouds[base + first] * (1 - weight) + textures.clouds[base + second] * weight;
      const upper =
        textures.clouds[base + PANORAMA_COLUMNS + first] * (1 - weight) +
        textures.clouds[base + PANORAMA_COLUMNS + second] * weight;
      views.detail[row * width + column] = lower + (upper - lower) * rise;
    }
    hillColumn(views, materials, width, column, horizonRow - far, rows, Material.farHills, 14);
    hillColumn(views, materials, width, column, horizonRow - near, rows, Material.nearHills, 22);
  }
}

function hillColumn(
  views: PlaneViews,
  materials: Uint8Array | undefined,
  width: number,
  column: number,
  topRow: number,
  rows: number,
  material: number,
  nearness: number,
): void {
  const red = MATERIAL_COLOURS[3 * material];
  const green = MATERIAL_COLOURS[3 * material + 1];
  const blue = MATERIAL_COLOURS[3 * material + 2];
  const span = Math.max(1, rows - topRow);
  for (let row = Math.max(0, Math.floor(topRow)); row < rows; row++) {
    const index = row * width + column;
    const cover = Math.min(1, row + 1 - topRow);
    views.red[index] = views.red[index] + (red - views.red[index]) * cover;
    views.green[index] = views.green[index] + (green - views.green[index]) * cover;
    views.blue[index] = views.blue[index] + (blue - views.blue[index]) * cover;
    views.nearness[index] = nearness * cover;
    const slope = NEUTRAL_BYTE + 70 * (0.5 - (row - topRow) / span);
    views.detail[index] = views.detail[index] + (slope - views.detail[index]) * cover;
    if (materials !== undefined && cover >= 0.5) materials[index] = material;
  }
}

function fillMaterial(views: PlaneViews, materials: Uint8Array | undefined, start: number, end: number): void {
  views.red.fill(MATERIAL_COLOURS[3 * Material.sky], start, end);
  views.green.fill(MATERIAL_COLOURS[3 * Material.sky + 1], start, end);
  views.blue.fill(MATERIAL_COLOURS[3 * Material.sky + 2], start, end);
  views.nearness.fill(0, start, end);
  views.shade.fill(NEUTRAL_BYTE, start, end);
  materials?.fill(Material.sky, start, end);
}
