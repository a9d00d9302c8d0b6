import { BT709_KB, BT709_KR, type I420Picture, type VideoRange } from "./i420.ts";

/** What `i420ToRgb` takes. */
export interface I420ToRgbOptions {
  /** The picture. */
  readonly picture: I420Picture;
  /** Columns to give, from the left; default all. */
  readonly width?: number;
  /** Rows to give, from the top; default all. */
  readonly height?: number;
  /** Range of the picture; default `limited`. */
  readonly range?: VideoRange;
}

/**
 * Converts I420 back to packed full-range RGB8: the BT.709 matrix in floating point, rounded to nearest; chroma, sited left, is
 * interpolated linearly. For self-tests and tests, not for speed.
 */
export function i420ToRgb(options: I420ToRgbOptions): Uint8Array {
  const { picture, range = "limited" } = options;
  const { codedWidth, codedHeight, data } = picture;
  const width = options.width ?? codedWidth;
  const height = options.height ?? codedHeight;
  const lumaBytes = codedWidth * codedHeight;
  const [black, lumaSpan, chromaSpan] = range === "limited" ? [16, 219, 224] : [0, 255, 255];
  const kg = 1 - BT709_KR - BT709_KB;
  const rgb = new Uint8Array(width * height * 3);
  const chromaWidth = codedWidth / 2;
  const chromaHeight = codedHeight / 2;
  const chromaAt = (plane: number, x: number, y: number) => {
    const left = Math.min(chromaWidth - 1, Math.floor(x / 2));
    const right = Math.min(chromaWidth - 1, left + (x % 2));
    const near = Math.min(chromaHeight - 1, Math.floor(y / 2));
    const far = Math.max(0, Math.min(chromaHeight - 1, near + (y % 2 === 0 ? -1 : 1)));
    const row = (at: number) => (data[plane + at * chromaWidth + left] + data[plane + at * chromaWidth + right]) / 2;
    return (0.75 * row(near) + 0.25 * row(far) - 128) / chromaSpan;
  };
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const luma = (data[y * codedWidth + x] - black) / lumaSpan;
      const blue = luma + 2 * (1 - BT709_KB) * chromaAt(lumaBytes, x, y);
      const red = luma + 2 * (1 - BT709_KR) * chromaAt(lumaBytes + lumaBytes / 4, x, y);
      const green = (luma - BT709_KR * red - BT709_KB * blue) / kg;
      const pixel = (y * width + x) * 3;
      rgb[pixel] = toByte(red);
      rgb[pixel + 1] = toByte(green);
      rgb[pixel + 2] = toByte(blue);
    }
  }
  return rgb;
}

function toByte(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value * 255)));
}
