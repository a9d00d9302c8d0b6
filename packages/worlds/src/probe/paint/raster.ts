import type { Rectangle } from "../layout.ts";

/** Red, green, blue, 0 to 255 each. */
export type RgbColor = readonly [red: number, green: number, blue: number];

/** One frame of packed 8-bit RGB that is painted on. */
export interface RgbPicture {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Three bytes a pixel, row after row. */
  readonly data: Uint8Array;
}

/** The part of `area` that lies inside the picture; empty parts have no pixels. */
function clip(picture: RgbPicture, area: Rectangle): Rectangle {
  const x = Math.max(0, area.x);
  const y = Math.max(0, area.y);
  const width = Math.max(0, Math.min(picture.width, area.x + area.width) - x);
  const height = Math.max(0, Math.min(picture.height, area.y + area.height) - y);
  return { x, y, width, height };
}

/** Fills a rectangle; what lies outside of the picture is left out. */
export function fillRectangle(picture: RgbPicture, area: Rectangle, color: RgbColor): void {
  const { x, y, width, height } = clip(picture, area);
  if (width === 0 || height === 0) return;
  const { data } = picture;
  const rowBytes = picture.width * 3;
  const start = (y * picture.width + x) * 3;
  const end = start + width * 3;
  const [red, green, blue] = color;
  for (let at = start; at < end; at += 3) {
    data[at] = red;
    data[at + 1] = green;
    data[at + 2] = blue;
  }
  for (let row = 1; row < height; row += 1) data.copyWithin(start + row * rowBytes, start, end);
}

/** A disc, or with `innerRadius` a ring, in pixels; centres may lie between pixels. */
export interface Disc {
  /** Column of the centre; 0.5 is the middle of the first pixel. */
  readonly x: number;
  /** Row of the centre. */
  readonly y: number;
  /** Radius. */
  readonly radius: number;
  /** Radius of the hole; default none. */
  readonly innerRadius?: number;
}

/**
 * Paints a disc with soft edges, clipped to `area`. Only sums, products and square roots are used, which give the same bits in
 * every engine, and each blend is rounded to whole numbers.
 */
export function fillDisc(picture: RgbPicture, area: Rectangle, disc: Disc, color: RgbColor): void {
  const inner = disc.innerRadius ?? -1;
  const bounds = clip(picture, area);
  const left = Math.max(bounds.x, Math.floor(disc.x - disc.radius - 1));
  const right = Math.min(bounds.x + bounds.width, Math.ceil(disc.x + disc.radius + 1));
  const top = Math.max(bounds.y, Math.floor(disc.y - disc.radius - 1));
  const bottom = Math.min(bounds.y + bounds.height, Math.ceil(disc.y + disc.radius + 1));
  const { data, width } = picture;
  const [red, green, blue] = color;
  for (let row = top; row < bottom; row += 1) {
    const dy = row + 0.5 - disc.y;
    for (let column = left; column < right; column += 1) {
      const dx = column + 0.5 - disc.x;
      const distance = Math.sqrt(dx * dx + dy * dy);
      const outside = disc.radius + 0.5 - distance;
      if (outside <= 0) continue;
      const inside = inner < 0 ? 1 : distance - inner + 0.5;
      if (inside <= 0) continue;
      const weight = Math.round(Math.min(1, outside, inside) * 256);
      const at = (row * width + column) * 3;
      data[at] += ((red - data[at]) * weight) >> 8;
      data[at + 1] += ((green - data[at + 1]) * weight) >> 8;
      data[at + 2] += ((blue - data[at + 2]) * weight) >> 8;
    }
  }
}
