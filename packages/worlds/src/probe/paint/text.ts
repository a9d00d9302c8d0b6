import { glyphOf, LETTER_COLUMNS, LETTER_ROWS } from "./font.ts";
import type { RgbColor, RgbPicture } from "./raster.ts";

/** Where and how a line of text is painted. */
export interface TextStyle {
  /** First column, or the last with `align` "right". */
  readonly x: number;
  /** First row. */
  readonly y: number;
  /** Pixels a side of a dot; a letter takes 5 by 7 dots and one column of space. */
  readonly dot: number;
  /** Colour of the dots. */
  readonly color: RgbColor;
  /** Which end `x` means; default "left". */
  readonly align?: "left" | "right";
}

/** Columns that a text takes, without the space after its last letter. */
export function textWidth(text: string, dot: number): number {
  const letters = Array.from(text).length;
  return letters === 0 ? 0 : (letters * (LETTER_COLUMNS + 1) - 1) * dot;
}

/** The text, cut with an ellipsis to what fits into `width` pixels. */
export function fitText(text: string, dot: number, width: number): string {
  const letters = Array.from(text);
  const room = Math.floor((width / dot + 1) / (LETTER_COLUMNS + 1));
  if (letters.length <= room) return text;
  return room < 4 ? "" : `${letters.slice(0, room - 3).join("")}...`;
}

/** Paints one line; what lies outside of the picture is left out. */
export function paintText(picture: RgbPicture, text: string, style: TextStyle): void {
  const { y, dot, color } = style;
  let x = style.align === "right" ? style.x - textWidth(text, dot) : style.x;
  for (const letter of text) {
    const rows = glyphOf(letter);
    for (let row = 0; row < LETTER_ROWS; row += 1) {
      const bits = rows[row];
      for (let column = 0; bits !== 0 && column < LETTER_COLUMNS; column += 1) {
        if (((bits >>> (LETTER_COLUMNS - 1 - column)) & 1) === 1)
          paintDot(picture, x + column * dot, y + row * dot, dot, color);
      }
    }
    x += (LETTER_COLUMNS + 1) * dot;
  }
}

function paintDot(picture: RgbPicture, x: number, y: number, side: number, color: RgbColor): void {
  if (x < 0 || y < 0 || x + side > picture.width || y + side > picture.height) return;
  const { data, width } = picture;
  for (let row = y; row < y + side; row += 1) {
    for (let at = (row * width + x) * 3, end = at + side * 3; at < end; at += 3) {
      data[at] = color[0];
      data[at + 1] = color[1];
      data[at + 2] = color[2];
    }
  }
}
