import { finite } from "@dreamloop/core/internal";
import { BARCODE_BITS, testCardLayout, type CardArea } from "./test-card-layout.ts";

/** Which card is wanted. */
export interface TestCardOptions {
  /** Columns, 1 to 16,384. */
  readonly width: number;
  /** Rows, 1 to 16,384. */
  readonly height: number;
  /** Number of the frame, 0 to 2^24 − 1; default 0. */
  readonly frameIndex?: number;
}

/** A picture of packed full-range 8-bit sRGB. */
export interface TestCard {
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
  /** Three bytes a pixel, row after row. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/**
 * The colours of the eight patches: six saturated ones a step inside the colour cube, so that a wrong matrix or range shows, a skin tone,
 * and a dark one.
 */
export const TEST_CARD_COLORS: readonly (readonly [red: number, green: number, blue: number])[] = Object.freeze([
  [224, 20, 20],
  [20, 192, 48],
  [28, 36, 220],
  [20, 192, 208],
  [208, 28, 184],
  [240, 216, 24],
  [226, 176, 144],
  [24, 26, 30],
] as const);

/** The grey of the background. */
export const TEST_CARD_BACKGROUND = 20;

const frameNumber = finite({ integer: true, min: 0, max: 2 ** 24 - 1 });

/**
 * Makes a test card: eight colour patches, a grey ramp, a one-pixel checker and the number of the frame as a barcode. Parts that do not fit
 * are left out whole; see `testCardLayout`. `compareTestCard` judges what came back of it.
 */
export function testCard({ width, height, frameIndex = 0 }: TestCardOptions): TestCard {
  const layout = testCardLayout(width, height);
  frameNumber(frameIndex, "testCard.frameIndex");
  const data = new Uint8Array(width * height * 3).fill(TEST_CARD_BACKGROUND);
  const paint = (area: CardArea, colorAt: (column: number, row: number) => readonly number[]): void => {
    for (let row = 0; row < area.height; row += 1) {
      for (let column = 0; column < area.width; column += 1)
        data.set(colorAt(column, row), ((area.y + row) * width + area.x + column) * 3);
    }
  };
  layout.patches.forEach((area, index) => paint(area, () => TEST_CARD_COLORS[index]));
  const { ramp, checker, barcode } = layout;
  if (ramp !== undefined) paint(ramp, (column) => grey(rampLevel(column, ramp.width)));
  if (checker !== undefined) paint(checker, (column, row) => grey(checkerLevel(column, row)));
  if (barcode !== undefined) {
    const bits = barcodeBits(frameIndex);
    const { columns, cellPixels } = barcode;
    paint(barcode, (column, row) => {
      const across = Math.floor(column / cellPixels) - 1;
      const down = Math.floor(row / cellPixels) - 1;
      const isCell = across >= 0 && across < columns && down >= 0 && down < BARCODE_BITS / columns;
      return grey(isCell ? (1 - bits[down * columns + across]) * 255 : 255);
    });
  }
  return { width, height, data };
}

function grey(level: number): readonly number[] {
  return [level, level, level];
}

/** The level of a column of the ramp. */
export function rampLevel(column: number, width: number): number {
  return Math.round((column * 255) / (width - 1));
}

/** The level of a pixel of the checker, counted from its first. */
export function checkerLevel(column: number, row: number): number {
  return ((column + row) & 1) * 255;
}

/** The cells of a barcode, 1 for a black one: 24 bits of the number and 8 of a check, the highest first. */
export function barcodeBits(frameIndex: number): readonly number[] {
  return [...bitsOf(frameIndex, 24), ...bitsOf(check8(frameIndex), 8)];
}

/** The number in a barcode, or nothing when its check does not hold. */
export function barcodeNumber(bits: readonly number[]): number | undefined {
  const number = valueOf(bits.slice(0, 24));
  return valueOf(bits.slice(24)) === check8(number) ? number : undefined;
}

function bitsOf(value: number, width: number): readonly number[] {
  return Array.from({ length: width }, (_, index) => (value >>> (width - 1 - index)) & 1);
}

function valueOf(bits: readonly number[]): number {
  return bits.reduce((value, bit) => value * 2 + bit, 0);
}

/** The check x^8 + x^2 + x + 1 of ITU-T I.432, started with all ones, so that number 0 has black cells too. */
function check8(number: number): number {
  let check = 0xff;
  for (const byte of [number >>> 16, (number >>> 8) & 0xff, number & 0xff]) {
    check ^= byte;
    for (let bit = 0; bit < 8; bit += 1) check = (check & 0x80) === 0 ? check << 1 : ((check << 1) ^ 0x07) & 0xff;
  }
  return check;
}
