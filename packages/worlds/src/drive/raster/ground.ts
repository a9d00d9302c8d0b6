import type { DriveCamera } from "../camera.ts";
import {
  DASH_METRES,
  DASH_PERIOD_METRES,
  EDGE_LINE_METRES,
  LANE_CENTRE_METRES,
  LINE_HALF_WIDTH_METRES,
  ROAD_HALF_WIDTH_METRES,
  SHOULDER_OUTER_METRES,
} from "../dimensions.ts";
import type { Bonnet } from "./bonnet.ts";
import { FAR_FROM_ROAD, type SurfaceGrid } from "../surface.ts";
import { Material, MATERIAL_COLOURS } from "./materials.ts";
import { nearnessOf, NEUTRAL_BYTE, type GroundCover, type PlaneViews } from "./target.ts";
import { GROUND_TEXELS, type SceneTextures } from "./textures.ts";

/** Buffers of one row that are used again for the next. */
export interface GroundScratch {
  /** Offset from the centre line per column of the present row. */
  lateral: Float64Array;
  /** The same for the row before. */
  previous: Float64Array;
}

/** What one ground pixel is made of; written by `coverGround`. */
interface GroundMix {
  shoulder: number;
  asphalt: number;
  white: number;
  yellow: number;
}

const FINE_TEXELS_PER_METRE = 5;
const COARSE_TEXELS_PER_METRE = 0.625;
const TEXEL_MASK = GROUND_TEXELS - 1;
// Added before truncation so that texture coordinates are positive everywhere a car can get.
const TEXEL_BIAS = GROUND_TEXELS * 65536;

/** What drawing the ground needs. */
export interface GroundDrawing {
  /** The view. */
  readonly camera: DriveCamera;
  /** Surface of the track. */
  readonly grid: SurfaceGrid;
  /** Ground noise. */
  readonly textures: SceneTextures;
  /** Row buffers, at least as long as the picture is wide. */
  readonly scratch: GroundScratch;
  /** The bonnet; what it hides altogether is not drawn. */
  readonly bonnet: Bonnet;
  /** Planes to draw to. */
  readonly views: PlaneViews;
  /** Material plane, if wanted. */
  readonly materials: Uint8Array | undefined;
  /** Ground layers, if wanted. */
  readonly cover: GroundCover | undefined;
}

/**
 * Draws the ground plane below the horizon: grass, gravel, asphalt, lines, baked light and shadow.
 *
 * @param drawing What to draw from and to.
 */
export function drawGround(drawing: GroundDrawing): void {
  const { camera, grid, textures, scratch, bonnet, views, materials, cover } = drawing;
  const { width, height, focalPixels, horizonRow } = camera;
  const first = Math.ceil(horizonRow - 0.5);
  const { red, green, blue, detail: detailPlane } = views;
  const { fine: fineTexture, coarse: coarseTexture } = textures;
  const mix: GroundMix = { shoulder: 0, asphalt: 0, white: 0, yellow: 0 };
  for (let row = first; row < height; row++) {
    const below = Math.max(0.25, row + 0.5 - horizonRow);
    const distance = (focalPixels * camera.heightMetres) / below;
    const across = distance / focalPixels;
    const deep = distance / below;
    const base = row * width;
    const startX = camera.xMetres + camera.forwardX * distance + camera.forwardY * (0.5 - camera.centreColumn) * across;
    const startY = camera.yMetres + camera.forwardY * distance - camera.forwardX * (0.5 - camera.centreColumn) * across;
    const stepX = camera.forwardY * across;
    const stepY = -camera.forwardX * across;
    sampleRow(grid, scratch.lateral, views.shade, base, width, startX, startY, stepX, stepY);
    const { lateral: laterals, previous } = scratch;
    if (row === first) previous.set(laterals);
    views.nearness.fill(nearnessOf(distance), base, base + width);
    const fineWeight = Math.max(0, 1 - deep / 1.5) * 0.45;
    const coarseWeight = Math.max(0.25, 1 - deep / 30) * 0.85;
    const hiddenFrom = bonnet.hiddenFrom[row];
    for (let column = 0; column < width; column++) {
      if (column === hiddenFrom) {
        column = bonnet.hiddenTo[row] - 1;
        continue;
      }
      const index = base + column;
      const x = startX + stepX * column;
      const y = startY + stepY * column;
      const lateral = laterals[column];
      let onRoad = 0;
      if (lateral < 14 && lateral > -14) {
        const left = laterals[column === 0 ? 0 : column - 1];
        const right = laterals[column === width - 1 ? column : column + 1];
        let blur = Math.abs(right - left) * 0.5 + Math.abs(lateral - previous[column]);
        if (blur > 8) blur = deep;
        else if (blur < 0.004) blur = 0.004;
        coverGround(mix, lateral < 0 ? -lateral : lateral, blur);
        if (mix.yellow > 0) mix.yellow *= dashShare(grid, x, y, Math.max(deep, across));
        onRoad = mix.asphalt;
        paint(views, index, mix);
      } else {
        mix.shoulder = mix.asphalt = mix.white = mix.yellow = 0;
        red[index] = GRASS_RED;
        green[index] = GRASS_GREEN;
        blue[index] = GRASS_BLUE;
      }
      const fine =
        fineWeight > 0
          ? (bilinear(fineTexture, x * FINE_TEXELS_PER_METRE + TEXEL_BIAS, y * FINE_TEXELS_PER_METRE + TEXEL_BIAS) -
              127) *
            fineWeight
          : 0;
      const coarseU = x * COARSE_TEXELS_PER_METRE + TEXEL_BIAS;
      const coarseV = y * COARSE_TEXELS_PER_METRE + TEXEL_BIAS;
      const grass = fine + (bilinear(coarseTexture, coarseU, coarseV) - 127) * coarseWeight;
      const detail = onRoad > 0 ? grass + (fine * 0.6 + wheelTrack(lateral) - grass) * onRoad : grass;
      detailPlane[index] = NEUTRAL_BYTE + (detail > 127 ? 127 : detail < -127 ? -127 : detail);
      if (materials !== undefined) materials[index] = onRoad >= 0.5 ? Material.asphalt : Material.grass;
      if (cover !== undefined) {
        cover.shoulder[index] = 255 * mix.shoulder;
        cover.asphalt[index] = 255 * mix.asphalt;
        cover.white[index] = 255 * mix.white;
        cover.yellow[index] = 255 * mix.yellow;
      }
    }
    scratch.previous = laterals;
    scratch.lateral = previous;
  }
}

function sampleRow(
  grid: SurfaceGrid,
  lateralRow: Float64Array,
  shadePlane: Uint8Array,
  base: number,
  width: number,
  startX: number,
  startY: number,
  stepX: number,
  stepY: number,
): void {
  const { columns, rows, lateral, shade } = grid;
  const perMetre = 1 / grid.cellMetres;
  let gx = (startX - grid.originX) * perMetre;
  let gy = (startY - grid.originY) * perMetre;
  const dx = stepX * perMetre;
  const dy = stepY * perMetre;
  const lastColumn = columns - 1;
  const lastRow = rows - 1;
  for (let column = 0; column < width; column++) {
    if (gx >= 0 && gy >= 0 && gx < lastColumn && gy < lastRow) {
      const ix = gx | 0;
      const iy = gy | 0;
      const fx = gx - ix;
      const fy = gy - iy;
      const cell = iy * columns + ix;
      const a = lateral[cell];
      const b = lateral[cell + 1];
      const c = lateral[cell + columns];
      const d = lateral[cell + columns + 1];
      const top = a + (b - a) * fx;
      const bottom = c + (d - c) * fx;
      lateralRow[column] = top + (bottom - top) * fy;
      const e = shade[cell];
      const f = shade[cell + 1];
      const g = shade[cell + columns];
      const h = shade[cell + columns + 1];
      const upper = e + (f - e) * fx;
      shadePlane[base + column] = upper + (g + (h - g) * fx - upper) * fy + 0.5;
    } else {
      lateralRow[column] = FAR_FROM_ROAD;
      shadePlane[base + column] = NEUTRAL_BYTE;
    }
    gx += dx;
    gy += dy;
  }
}

function coverGround(mix: GroundMix, distance: number, blur: number): void {
  const half = blur / 2;
  mix.white = 0;
  mix.yellow = 0;
  if (distance >= SHOULDER_OUTER_METRES + half) {
    mix.shoulder = 0;
    mix.asphalt = 0;
    return;
  }
  if (distance <= EDGE_LINE_METRES - LINE_HALF_WIDTH_METRES - half && distance >= LINE_HALF_WIDTH_METRES + half) {
    mix.shoulder = 1;
    mix.asphalt = 1;
    return;
  }
  mix.shoulder = inside(SHOULDER_OUTER_METRES - distance, blur);
  mix.asphalt = inside(ROAD_HALF_WIDTH_METRES - distance, blur);
  if (mix.asphalt === 0) return;
  mix.white = stripe(distance - EDGE_LINE_METRES, blur);
  mix.yellow = stripe(distance, blur);
}

function inside(depth: number, blur: number): number {
  const share = depth / blur + 0.5;
  return share <= 0 ? 0 : share >= 1 ? 1 : share;
}

function stripe(offset: number, blur: number): number {
  const reach = LINE_HALF_WIDTH_METRES + blur / 2;
  if (offset >= reach || offset <= -reach) return 0;
  const low = Math.max(offset - blur / 2, -LINE_HALF_WIDTH_METRES);
  const high = Math.min(offset + blur / 2, LINE_HALF_WIDTH_METRES);
  return (high - low) / blur;
}

function dashShare(grid: SurfaceGrid, x: number, y: number, blur: number): number {
  const gx = (x - grid.originX) / grid.cellMetres;
  const gy = (y - grid.originY) / grid.cellMetres;
  const ix = gx | 0;
  const iy = gy | 0;
  const cell = iy * grid.columns + ix;
  const here = grid.station[cell];
  const slopeX = grid.station[cell + 1] - here;
  const slopeY = grid.station[cell + grid.columns] - here;
  // Where the loop closes, station jumps; the nearest cell has to do there.
  const smooth = Math.abs(slopeX) < 2 && Math.abs(slopeY) < 2;
  const station = smooth ? here + slopeX * (gx - ix) + slopeY * (gy - iy) : here;
  if (blur >= DASH_PERIOD_METRES) return DASH_METRES / DASH_PERIOD_METRES;
  const phase = station - Math.floor(station / DASH_PERIOD_METRES) * DASH_PERIOD_METRES;
  const middle = DASH_PERIOD_METRES / 2;
  const depth = DASH_METRES / 2 - Math.abs(phase - middle);
  return inside(depth, Math.max(blur, 0.02));
}

const [GRASS_RED, GRASS_GREEN, GRASS_BLUE] = colourOf(Material.grass);
const [SHOULDER_RED, SHOULDER_GREEN, SHOULDER_BLUE] = colourOf(Material.shoulder);
const [ASPHALT_RED, ASPHALT_GREEN, ASPHALT_BLUE] = colourOf(Material.asphalt);
const [WHITE_RED, WHITE_GREEN, WHITE_BLUE] = colourOf(Material.whiteLine);
const [YELLOW_RED, YELLOW_GREEN, YELLOW_BLUE] = colourOf(Material.yellowLine);

function colourOf(material: number): readonly [number, number, number] {
  return [MATERIAL_COLOURS[3 * material], MATERIAL_COLOURS[3 * material + 1], MATERIAL_COLOURS[3 * material + 2]];
}

function paint(views: PlaneViews, index: number, mix: GroundMix): void {
  const { shoulder, asphalt, white, yellow } = mix;
  if (shoulder === 0) {
    views.red[index] = GRASS_RED;
    views.green[index] = GRASS_GREEN;
    views.blue[index] = GRASS_BLUE;
    return;
  }
  if (asphalt === 1 && white === 0 && yellow === 0) {
    views.red[index] = ASPHALT_RED;
    views.green[index] = ASPHALT_GREEN;
    views.blue[index] = ASPHALT_BLUE;
    return;
  }
  let red = GRASS_RED + (SHOULDER_RED - GRASS_RED) * shoulder;
  let green = GRASS_GREEN + (SHOULDER_GREEN - GRASS_GREEN) * shoulder;
  let blue = GRASS_BLUE + (SHOULDER_BLUE - GRASS_BLUE) * shoulder;
  red += (ASPHALT_RED - red) * asphalt;
  green += (ASPHALT_GREEN - green) * asphalt;
  blue += (ASPHALT_BLUE - blue) * asphalt;
  red += (WHITE_RED - red) * white;
  green += (WHITE_GREEN - green) * white;
  blue += (WHITE_BLUE - blue) * white;
  red += (YELLOW_RED - red) * yellow;
  green += (YELLOW_GREEN - green) * yellow;
  blue += (YELLOW_BLUE - blue) * yellow;
  views.red[index] = red + 0.5;
  views.green[index] = green + 0.5;
  views.blue[index] = blue + 0.5;
}

function wheelTrack(lateral: number): number {
  const fromLane = Math.abs(Math.abs(lateral) - LANE_CENTRE_METRES);
  const fromTrack = Math.abs(fromLane - 0.75);
  return fromTrack < 0.5 ? -30 * (1 - fromTrack * 2) : 0;
}

function bilinear(texture: Uint32Array, u: number, v: number): number {
  const iu = u | 0;
  const iv = v | 0;
  const fu = u - iu;
  const quad = texture[((iv & TEXEL_MASK) * GROUND_TEXELS) | (iu & TEXEL_MASK)];
  const a = quad & 255;
  const c = (quad >>> 16) & 255;
  const top = a + (((quad >>> 8) & 255) - a) * fu;
  return top + (c + ((quad >>> 24) - c) * fu - top) * (v - iv);
}
