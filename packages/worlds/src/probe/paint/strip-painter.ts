import type { StripLayout } from "../layout.ts";
import { PALETTE } from "./palette.ts";
import type { Picture } from "./raster.ts";

/** Paints the cells of a strip; its light margin is there already. */
export function paintStrip(picture: Picture, strip: StripLayout, bits: Uint8Array): void {
  const { columns, rows, cellPixels } = strip;
  const { data, width } = picture;
  const left = strip.x + cellPixels;
  const lineBytes = columns * cellPixels * 3;
  for (let row = 0; row < rows; row += 1) {
    const start = ((strip.y + (row + 1) * cellPixels) * width + left) * 3;
    let at = start;
    for (let column = 0; column < columns; column += 1) {
      const [red, green, blue] = bits[row * columns + column] === 1 ? PALETTE.light : PALETTE.dark;
      for (let pixel = 0; pixel < cellPixels; pixel += 1, at += 3) {
        data[at] = red;
        data[at + 1] = green;
        data[at + 2] = blue;
      }
    }
    for (let line = 1; line < cellPixels; line += 1)
      data.copyWithin(start + line * width * 3, start, start + lineBytes);
  }
}
