import type { DriveCamera } from "../camera.ts";
import { latticeHash } from "../random.ts";
import { PLANT_ASPECT, SCENERY_VARIANTS, type SceneryKind, type SceneryObject } from "../scenery.ts";
import { Material } from "./materials.ts";
import { toCamera } from "./polygon.ts";
import { nearnessOf, type PixelWriter } from "./target.ts";

/** Texels across a plant sprite. */
const SPRITE_COLUMNS = 96;
/** Texels from the top to the foot of a plant sprite. */
const SPRITE_ROWS = 128;
/** Change of the edge byte per texel of distance from the outline. */
const EDGE_PER_TEXEL = 24;
/** Beyond this distance plants fade away, in metres. */
const FADE_START_METRES = 130;
/** Beyond this distance no plant is drawn, in metres. */
const FADE_END_METRES = 170;

/** The look of one plant: an outline as signed distance, its light and which part is trunk. */
interface PlantSprite {
  readonly edge: Uint8Array;
  readonly light: Uint8Array;
  readonly isTrunk: Uint8Array;
  /** First column of each row whose edge byte is not 0. */
  readonly firstColumn: Uint8Array;
  /** Last column of each row whose edge byte is not 0. */
  readonly lastColumn: Uint8Array;
}

/** The looks of all plants, by kind and variant. */
export type PlantSprites = Readonly<Partial<Record<SceneryKind, readonly PlantSprite[]>>>;

interface Blob {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
  readonly squash: number;
}

/**
 * Makes the plant sprites. Takes a few tens of milliseconds.
 *
 * @returns The sprites, always the same bits.
 */
export function createPlantSprites(): PlantSprites {
  const kinds: SceneryKind[] = ["broadleaf", "conifer", "poplar", "bush"];
  const sprites: Partial<Record<SceneryKind, readonly PlantSprite[]>> = {};
  kinds.forEach((kind, number) => {
    const variants: PlantSprite[] = [];
    for (let variant = 0; variant < SCENERY_VARIANTS; variant++)
      variants.push(createSprite(kind, number * 10 + variant));
    sprites[kind] = variants;
  });
  return sprites;
}

/**
 * Draws a plant as a picture that faces the camera.
 *
 * @param camera The view.
 * @param writer Where to draw.
 * @param sprites All sprites.
 * @param plant The plant.
 */
export function drawPlant(camera: DriveCamera, writer: PixelWriter, sprites: PlantSprites, plant: SceneryObject): void {
  const sprite = sprites[plant.kind]?.[plant.variant];
  const aspect = PLANT_ASPECT[plant.kind];
  if (sprite === undefined || aspect === undefined) return;
  const { right, ahead } = toCamera(camera, plant.xMetres, plant.yMetres);
  if (ahead < 0.8 || ahead > FADE_END_METRES) return;
  const scale = camera.focalPixels / ahead;
  const widthPixels = plant.heightMetres * aspect * scale;
  const heightPixels = plant.heightMetres * scale;
  const left = camera.centreColumn + right * scale - widthPixels / 2;
  const foot = camera.horizonRow + camera.heightMetres * scale;
  const top = foot - heightPixels;
  const firstColumn = Math.max(0, Math.floor(left));
  const lastColumn = Math.min(camera.width - 1, Math.ceil(left + widthPixels));
  if (firstColumn > lastColumn) return;
  const firstRow = Math.max(0, Math.floor(top));
  const lastRow = Math.min(camera.height - 1, Math.ceil(foot));
  const columnStep = SPRITE_COLUMNS / widthPixels;
  const rowStep = SPRITE_ROWS / heightPixels;
  const sharpness = 1 / (EDGE_PER_TEXEL * Math.max(columnStep, rowStep));
  const fade = Math.min(1, (FADE_END_METRES - ahead) / (FADE_END_METRES - FADE_START_METRES));
  // Far away the leaves' light and shadow average out.
  const contrast = Math.min(1, 3 / rowStep);
  const nearness = nearnessOf(ahead);
  const leaf = leafMaterial(plant.kind);
  for (let row = firstRow; row <= lastRow; row++) {
    const v = (row + 0.5 - top) * rowStep - 0.5;
    if (v < 0 || v >= SPRITE_ROWS - 1) continue;
    const iv = v | 0;
    const fv = v - iv;
    let trunk = -1;
    // Outside these columns nothing is covered, unless the plant is so small that its edge is softer than the sprite's.
    const isLarge = columnStep < 8 && rowStep < 8;
    const low = Math.min(sprite.firstColumn[iv], sprite.firstColumn[iv + 1]) - 1;
    const high = Math.max(sprite.lastColumn[iv], sprite.lastColumn[iv + 1]) + 1;
    const from = isLarge ? Math.max(firstColumn, Math.floor(left + low / columnStep)) : firstColumn;
    const to = isLarge ? Math.min(lastColumn, Math.ceil(left + (high + 1) / columnStep)) : lastColumn;
    for (let column = from; column <= to; column++) {
      const u = (column + 0.5 - left) * columnStep - 0.5;
      if (u < 0 || u >= SPRITE_COLUMNS - 1) continue;
      const iu = u | 0;
      const texel = iv * SPRITE_COLUMNS + iu;
      const edge = sample(sprite.edge, texel, u - iu, fv);
      const coverage = Math.min(1, (edge - 128) * sharpness + 0.5) * fade;
      if (coverage <= 0.01) continue;
      const part = sprite.isTrunk[texel];
      if (part !== trunk) {
        writer.use(part === 1 ? Material.trunk : leaf, nearness);
        trunk = part;
      }
      const light = sample(sprite.light, texel, u - iu, fv);
      writer.put(row * camera.width + column, coverage, 128 + (light - 128) * contrast);
    }
  }
}

function sample(texture: Uint8Array, texel: number, fu: number, fv: number): number {
  const a = texture[texel];
  const b = texture[texel + 1];
  const c = texture[texel + SPRITE_COLUMNS];
  const d = texture[texel + SPRITE_COLUMNS + 1];
  const top = a + (b - a) * fu;
  return top + (c + (d - c) * fu - top) * fv;
}

function leafMaterial(kind: SceneryKind): number {
  if (kind === "conifer") return Material.conifer;
  if (kind === "poplar") return Material.poplar;
  return kind === "bush" ? Material.bush : Material.broadleaf;
}

function createSprite(kind: SceneryKind, salt: number): PlantSprite {
  const size = SPRITE_COLUMNS * SPRITE_ROWS;
  const sprite = {
    edge: new Uint8Array(size),
    light: new Uint8Array(size),
    isTrunk: new Uint8Array(size),
    firstColumn: new Uint8Array(SPRITE_ROWS).fill(SPRITE_COLUMNS - 1),
    lastColumn: new Uint8Array(SPRITE_ROWS),
  };
  const blobs = kind === "conifer" ? [] : crownBlobs(kind, salt);
  for (let row = 0; row < SPRITE_ROWS; row++) {
    for (let column = 0; column < SPRITE_COLUMNS; column++) {
      const index = row * SPRITE_COLUMNS + column;
      const crown = kind === "conifer" ? coniferAt(column, row, salt) : blobsAt(blobs, column, row);
      const trunk = kind === "bush" ? -50 : trunkAt(column, row, kind);
      const best = Math.max(crown.depth, trunk);
      sprite.edge[index] = Math.max(0, Math.min(255, 128 + best * EDGE_PER_TEXEL));
      if (sprite.edge[index] > 0) {
        sprite.firstColumn[row] = Math.min(sprite.firstColumn[row], column);
        sprite.lastColumn[row] = column;
      }
      sprite.isTrunk[index] = trunk > crown.depth ? 1 : 0;
      sprite.light[index] = trunk > crown.depth ? 118 : Math.max(10, Math.min(245, crown.light));
    }
  }
  return sprite;
}

function crownBlobs(kind: SceneryKind, salt: number): Blob[] {
  const pick = (index: number, channel: number): number => latticeHash(index, channel, 700 + salt);
  const blobs: Blob[] = [];
  if (kind === "poplar") {
    for (let index = 0; index < 7; index++) {
      const share = index / 6;
      const radius = 34 * (0.45 + 1.1 * share * (1.45 - share));
      blobs.push({ x: 48 + 12 * (pick(index, 0) - 0.5), y: 22 + 76 * share, radius, squash: 1.9 });
    }
    return blobs;
  }
  const count = kind === "bush" ? 6 : 9;
  for (let index = 0; index < count; index++) {
    const share = (index + 0.5) / count;
    if (kind === "bush") {
      blobs.push({
        x: 16 + 64 * share,
        y: 84 - 34 * pick(index, 1) * (1 - Math.abs(2 * share - 1)),
        radius: 15 + 9 * pick(index, 2),
        squash: 0.42,
      });
    } else {
      const ring = Math.floor(index / 3);
      const x =
        48 + (index % 3 === 1 ? 0 : index % 3 === 0 ? -1 : 1) * (ring === 0 ? 15 : 22) + 8 * (pick(index, 0) - 0.5);
      blobs.push({ x, y: 28 + 21 * ring + 9 * (pick(index, 1) - 0.5), radius: 19 + 6 * pick(index, 2), squash: 1 });
    }
  }
  return blobs;
}

function blobsAt(blobs: readonly Blob[], column: number, row: number): { depth: number; light: number } {
  let depth = -50;
  let light = 128;
  // Later blobs lie in front; a blob's own rounding gives the light.
  for (const blob of blobs) {
    const dx = column - blob.x;
    const dy = (row - blob.y) / blob.squash;
    const distance = Math.sqrt(dx * dx + dy * dy);
    const inside = blob.radius - distance;
    if (inside > 0 || inside > depth) light = 134 - 74 * (dy / blob.radius) - 14 * (distance / blob.radius);
    depth = Math.max(depth, inside);
  }
  return { depth, light };
}

function coniferAt(column: number, row: number, salt: number): { depth: number; light: number } {
  let depth = -50;
  let light = 128;
  const tiers = 4;
  for (let tier = tiers - 1; tier >= 0; tier--) {
    const top = 3 + tier * 23;
    const bottom = top + 44 - 2 * tier;
    const half = 15 + 9.5 * tier + 3 * latticeHash(tier, 0, 900 + salt);
    const side = Math.abs(column - 48);
    const slope = half / (bottom - top);
    const inside = Math.min(
      bottom - row - 2 * Math.abs(((column * 0.16) % 1) - 0.5),
      ((row - top) * slope - side) / Math.sqrt(1 + slope * slope),
    );
    if (inside > 0 || inside > depth) light = 170 - 84 * ((row - top) / (bottom - top)) - 24 * (side / half);
    depth = Math.max(depth, inside);
  }
  return { depth, light };
}

function trunkAt(column: number, row: number, kind: SceneryKind): number {
  const half = kind === "poplar" ? 9 : 4;
  if (row < SPRITE_ROWS * 0.55) return -50;
  return Math.min(half - Math.abs(column - 48), SPRITE_ROWS - 1 - row + 1);
}
