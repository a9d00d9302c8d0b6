import { Material } from "./materials.ts";
import type { PixelWriter } from "./target.ts";

/** The bonnet of the driven car, the same in every frame: its pixels, and per row what it hides altogether. */
export interface Bonnet {
  /** Indices of the pixels that it touches. */
  readonly pixels: Uint32Array;
  /** Share of each of these pixels that it covers. */
  readonly coverage: Float32Array;
  /** Detail byte of each of these pixels. */
  readonly detail: Uint8Array;
  /** First column per row that is hidden; the width of the picture where none is. */
  readonly hiddenFrom: Uint16Array;
  /** First column per row that is no longer hidden. */
  readonly hiddenTo: Uint16Array;
}

/** Height of the bonnet as a share of the height of the picture. */
const RISE_SHARE = 0.1;
/** Half of its width as a share of the width of the picture. */
const HALF_WIDTH_SHARE = 0.47;

/**
 * Computes the bonnet for a size of picture.
 *
 * @param width Width, in pixels.
 * @param height Height, in pixels.
 * @returns The bonnet.
 */
export function createBonnet(width: number, height: number): Bonnet {
  const rise = height * RISE_SHARE;
  const pixels: number[] = [];
  const coverage: number[] = [];
  const detail: number[] = [];
  const hiddenFrom = new Uint16Array(height).fill(width);
  const hiddenTo = new Uint16Array(height).fill(width);
  for (let column = 0; column < width; column++) {
    const side = (column + 0.5 - width / 2) / (width * HALF_WIDTH_SHARE);
    const top = height - rise * (1 - side * side * side * side);
    for (let row = Math.max(0, Math.floor(top)); row < height; row++) {
      const covered = Math.min(1, row + 1 - top);
      const light = 128 + 70 * (1 - (row - top) / rise) - 60 * side * side;
      pixels.push(row * width + column);
      coverage.push(covered);
      detail.push(Math.max(0, Math.min(255, light)));
      if (covered < 1) continue;
      if (hiddenFrom[row] === width) hiddenFrom[row] = column;
      hiddenTo[row] = column + 1;
    }
  }
  return {
    pixels: Uint32Array.from(pixels),
    coverage: Float32Array.from(coverage),
    detail: Uint8Array.from(detail),
    hiddenFrom,
    hiddenTo,
  };
}

/**
 * Draws the bonnet.
 *
 * @param bonnet The bonnet of this size of picture.
 * @param writer Where to draw.
 */
export function drawBonnet(bonnet: Bonnet, writer: PixelWriter): void {
  writer.use(Material.bonnet, 255);
  for (let number = 0; number < bonnet.pixels.length; number++) {
    writer.put(bonnet.pixels[number], bonnet.coverage[number], bonnet.detail[number]);
  }
}
