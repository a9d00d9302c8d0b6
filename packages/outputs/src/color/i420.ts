import type { ColorRange } from "@dreamloop/core";

/** Which code values are black and white in a video: 16 to 235 (`limited`, the default everywhere) or 0 to 255 (`full`). */
export type VideoRange = Extract<ColorRange, "full" | "limited">;

/** Weight of red in the luma of ITU-R BT.709. */
export const BT709_KR = 0.2126;

/** Weight of blue in the luma of ITU-R BT.709. */
export const BT709_KB = 0.0722;

/** An 8-bit picture in three planes, chroma at half size in both directions; the planes lie one after the other in `data`. */
export interface I420Picture {
  /** Columns of the luma plane; even. */
  readonly codedWidth: number;
  /** Rows of the luma plane; even. */
  readonly codedHeight: number;
  /** Luma, then blue difference, then red difference; `i420Bytes(codedWidth, codedHeight)` long. */
  readonly data: Uint8Array;
}

/** Bytes of an I420 picture of even size. */
export function i420Bytes(codedWidth: number, codedHeight: number): number {
  return (codedWidth * codedHeight * 3) / 2;
}
