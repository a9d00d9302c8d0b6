import { rgbToI420 } from "../../color/rgb-to-i420.ts";
import type { I420Picture, VideoRange } from "../../color/i420.ts";

/** Side of the square test picture. */
export const TEST_PICTURE_SIDE = 64;

/** Side of one of its patches. */
const PATCH_SIDE = 16;

/** Colours of its patches, row by row: the corners of the cube, greys, and tones that matrices disagree about. */
const PATCHES: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [255, 255, 255],
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
  [0, 255, 255],
  [255, 0, 255],
  [64, 64, 64],
  [128, 128, 128],
  [192, 192, 192],
  [200, 120, 60],
  [40, 90, 160],
  [120, 180, 40],
  [180, 60, 140],
  [230, 200, 180],
];

/** One point where the decoded picture is looked at. */
export interface TestPoint {
  /** Column. */
  readonly x: number;
  /** Row. */
  readonly y: number;
  /** The colour that was painted there. */
  readonly rgb: readonly [number, number, number];
}

/** The middle of each patch. */
export const TEST_POINTS: readonly TestPoint[] = PATCHES.map((rgb, index) => ({
  x: (index % 4) * PATCH_SIDE + PATCH_SIDE / 2,
  y: Math.floor(index / 4) * PATCH_SIDE + PATCH_SIDE / 2,
  rgb,
}));

/** The picture that encoders are tested with. */
export function testPicture(range: VideoRange): I420Picture {
  const side = TEST_PICTURE_SIDE;
  const rgb = new Uint8Array(side * side * 3);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      const patch = Math.floor(y / PATCH_SIDE) * 4 + Math.floor(x / PATCH_SIDE);
      rgb.set(PATCHES[patch], (y * side + x) * 3);
    }
  }
  return rgbToI420({ rgb, width: side, height: side, range });
}
