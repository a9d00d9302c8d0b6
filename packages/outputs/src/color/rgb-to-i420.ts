import { BT709_KB, BT709_KR, i420Bytes, type I420Picture, type VideoRange } from "./i420.ts";

/** What `rgbToI420` takes. */
export interface RgbToI420Options {
  /** Packed full-range RGB8, row by row, `width × height × 3` bytes. */
  readonly rgb: Uint8Array;
  /** Columns of the source. */
  readonly width: number;
  /** Rows of the source. */
  readonly height: number;
  /** Columns of the result: even, at least `width`; default `width` rounded up to even. */
  readonly codedWidth?: number;
  /** Rows of the result: even, at least `height`; default `height` rounded up to even. */
  readonly codedHeight?: number;
  /** Range of the result; default `limited`. */
  readonly range?: VideoRange;
  /** Memory for the result, `i420Bytes(codedWidth, codedHeight)` long; default new memory. */
  readonly into?: Uint8Array;
}

/** Fixed-point weights with 16 fractional bits; those of a chroma row add up to zero, so that grey stays exactly neutral. */
interface Weights {
  readonly luma: readonly [number, number, number];
  readonly lumaOffset: number;
  readonly blueDifference: readonly [number, number, number];
  readonly redDifference: readonly [number, number, number];
}

function weightsOf(range: VideoRange): Weights {
  const lumaSpan = range === "limited" ? 219 / 255 : 1;
  const chromaSpan = range === "limited" ? 224 / 255 : 1;
  const fixed = (value: number) => Math.round(value * 65_536);
  const kg = 1 - BT709_KR - BT709_KB;
  const half = fixed(chromaSpan / 2);
  const blueRed = fixed((-chromaSpan * BT709_KR) / (2 * (1 - BT709_KB)));
  const redBlue = fixed((-chromaSpan * BT709_KB) / (2 * (1 - BT709_KR)));
  const lumaRed = fixed(lumaSpan * BT709_KR);
  const lumaBlue = fixed(lumaSpan * BT709_KB);
  return {
    luma: [lumaRed, fixed(lumaSpan * (BT709_KR + kg + BT709_KB)) - lumaRed - lumaBlue, lumaBlue],
    lumaOffset: range === "limited" ? 16 : 0,
    blueDifference: [blueRed, -half - blueRed, half],
    redDifference: [half, -half - redBlue, redBlue],
  };
}

const WEIGHTS = { limited: weightsOf("limited"), full: weightsOf("full") };

/**
 * Converts packed RGB to I420 with the BT.709 matrix (ITU-R BT.709-6, items 3.2 to 3.4), by 16.16 fixed-point sums rounded half
 * up. Chroma is sited left, as H.264 assumes by default: each sample lies on an even column, halfway between two rows, and
 * weighs the columns beside it 1 : 2 : 1. Columns and rows beyond the source repeat its edge.
 */
export function rgbToI420(options: RgbToI420Options): I420Picture {
  const { rgb, width, height, range = "limited" } = options;
  const codedWidth = options.codedWidth ?? width + (width % 2);
  const codedHeight = options.codedHeight ?? height + (height % 2);
  const data = options.into ?? new Uint8Array(i420Bytes(codedWidth, codedHeight));
  const isEven = width % 2 === 0;
  convertPicture(isEven ? rgb : withRepeatedColumn(rgb, width, height), data, {
    width: isEven ? width : width + 1,
    height,
    codedWidth,
    codedHeight,
    weights: WEIGHTS[range],
  });
  const lumaBytes = codedWidth * codedHeight;
  const planes = [
    { start: 0, scale: 1 },
    { start: lumaBytes, scale: 2 },
    { start: lumaBytes + lumaBytes / 4, scale: 2 },
  ];
  for (const { start, scale } of planes) {
    repeatEdges(data, {
      start,
      stride: codedWidth / scale,
      rows: codedHeight / scale,
      usedColumns: (width + (width % 2)) / scale,
      usedRows: (height + (height % 2)) / scale,
    });
  }
  return { codedWidth, codedHeight, data };
}

/** The same picture with its last column twice. */
function withRepeatedColumn(rgb: Uint8Array, width: number, height: number): Uint8Array {
  const widened = new Uint8Array((width + 1) * height * 3);
  for (let row = 0; row < height; row += 1) {
    const end = (row + 1) * width * 3;
    const to = row * (width + 1) * 3;
    widened.set(rgb.subarray(end - width * 3, end), to);
    widened.set(rgb.subarray(end - 3, end), to + width * 3);
  }
  return widened;
}

interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly codedWidth: number;
  readonly codedHeight: number;
  readonly weights: Weights;
}

/** Works on blocks of 2×2 pixels of a picture of even width. Everything is in local variables, since this loop runs for every pixel of every frame. */
function convertPicture(rgb: Uint8Array, out: Uint8Array, geometry: Geometry): void {
  const { width, height, codedWidth, codedHeight } = geometry;
  const { luma, lumaOffset, blueDifference, redDifference } = geometry.weights;
  const [yr, yg, yb] = luma;
  const [ur, ug, ub] = blueDifference;
  const [vr, vg, vb] = redDifference;
  const lumaBias = (lumaOffset << 16) + 32_768;
  // Chroma sums weigh 8 samples, so they carry 19 fractional bits.
  const chromaBias = (128 << 19) + (1 << 18);
  const chromaStride = codedWidth >> 1;
  let chromaRow = codedWidth * codedHeight;
  const redPlane = (codedWidth * codedHeight) >> 2;
  for (let y = 0; y < height; y += 2) {
    let top = y * width * 3;
    let bottom = y + 1 < height ? top + width * 3 : top;
    let lumaTop = y * codedWidth;
    let lumaBottom = lumaTop + codedWidth;
    let chroma = chromaRow;
    // The column left of the first one repeats it.
    let leftRed = rgb[top] + rgb[bottom];
    let leftGreen = rgb[top + 1] + rgb[bottom + 1];
    let leftBlue = rgb[top + 2] + rgb[bottom + 2];
    for (let x = 0; x < width; x += 2) {
      const r0 = rgb[top];
      const g0 = rgb[top + 1];
      const b0 = rgb[top + 2];
      const r1 = rgb[top + 3];
      const g1 = rgb[top + 4];
      const b1 = rgb[top + 5];
      const r2 = rgb[bottom];
      const g2 = rgb[bottom + 1];
      const b2 = rgb[bottom + 2];
      const r3 = rgb[bottom + 3];
      const g3 = rgb[bottom + 4];
      const b3 = rgb[bottom + 5];
      top += 6;
      bottom += 6;
      out[lumaTop] = (yr * r0 + yg * g0 + yb * b0 + lumaBias) >> 16;
      out[lumaTop + 1] = (yr * r1 + yg * g1 + yb * b1 + lumaBias) >> 16;
      out[lumaBottom] = (yr * r2 + yg * g2 + yb * b2 + lumaBias) >> 16;
      out[lumaBottom + 1] = (yr * r3 + yg * g3 + yb * b3 + lumaBias) >> 16;
      lumaTop += 2;
      lumaBottom += 2;
      const rightRed = r1 + r3;
      const rightGreen = g1 + g3;
      const rightBlue = b1 + b3;
      const red = leftRed + 2 * (r0 + r2) + rightRed;
      const green = leftGreen + 2 * (g0 + g2) + rightGreen;
      const blue = leftBlue + 2 * (b0 + b2) + rightBlue;
      const u = (ur * red + ug * green + ub * blue + chromaBias) >> 19;
      const v = (vr * red + vg * green + vb * blue + chromaBias) >> 19;
      // Full range reaches 255.5, which rounds to 256.
      out[chroma] = u > 255 ? 255 : u;
      out[chroma + redPlane] = v > 255 ? 255 : v;
      chroma += 1;
      leftRed = rightRed;
      leftGreen = rightGreen;
      leftBlue = rightBlue;
    }
    chromaRow += chromaStride;
  }
}

interface PlaneEdges {
  readonly start: number;
  readonly stride: number;
  readonly rows: number;
  readonly usedColumns: number;
  readonly usedRows: number;
}

function repeatEdges(data: Uint8Array, { start, stride, rows, usedColumns, usedRows }: PlaneEdges): void {
  if (usedColumns < stride) {
    for (let row = 0; row < usedRows; row += 1) {
      const first = start + row * stride;
      data.fill(data[first + usedColumns - 1], first + usedColumns, first + stride);
    }
  }
  const lastRow = start + (usedRows - 1) * stride;
  for (let row = usedRows; row < rows; row += 1) data.copyWithin(start + row * stride, lastRow, lastRow + stride);
}
