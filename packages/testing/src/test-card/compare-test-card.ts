import { DreamloopError, ERROR_CODES } from "@dreamloop/core";
import { deltaE2000, labOfRgb } from "./color-difference.ts";
import { BARCODE_BITS, testCardLayout, type BarcodeArea, type CardArea } from "./test-card-layout.ts";
import { barcodeNumber, checkerLevel, rampLevel, TEST_CARD_BACKGROUND, TEST_CARD_COLORS } from "./test-card.ts";

/** What guarantee E1 allows. */
export const TEST_CARD_LIMITS = Object.freeze({
  /** Greatest CIEDE2000 difference of a patch in a lossless path. */
  losslessDeltaE: 1,
  /** Greatest CIEDE2000 difference of a patch in a lossy path. */
  lossyDeltaE: 4,
  /** Greatest fall along the grey ramp, in 8-bit levels. */
  rampFall: 3,
  /** Greatest displacement of an edge of the checker in pixels. */
  checkerDisplacement: 1,
});

/** What came back of a test card. */
export interface CardPicture {
  /** Packed full-range 8-bit pixels, row after row. */
  readonly data: ArrayLike<number>;
  /** Columns, as the card had them. */
  readonly width: number;
  /** Rows, as the card had them. */
  readonly height: number;
  /** Values a pixel: 3 for RGB, 4 for RGBA; default 3. */
  readonly channels?: 3 | 4;
}

/** How the grey ramp came back, in 8-bit levels. */
export interface RampComparison {
  /** Greatest fall below a level that was reached further left. */
  readonly largestFall: number;
  /** Greatest difference between a column's mean and its level: about 16 when full and limited range were confused. */
  readonly largestError: number;
  /** Greatest difference between two channels of a column. */
  readonly largestTint: number;
  /** Whether it falls by no more than `TEST_CARD_LIMITS.rampFall`. */
  readonly isMonotonic: boolean;
}

/** How the one-pixel checker came back. */
export interface CheckerComparison {
  /** Whether every value is what it was. */
  readonly isExact: boolean;
  /** Mean level; 127.5 when nothing is lost but the pattern. */
  readonly meanLevel: number;
  /** Mean difference between its white and its black pixels; 255 when nothing is lost, 0 when it is a flat grey. */
  readonly contrast: number;
  /** Greatest displacement of one of its four edges in pixels. */
  readonly displacement: number;
  /** Whether its edges are displaced by no more than `TEST_CARD_LIMITS.checkerDisplacement`. */
  readonly isAligned: boolean;
}

/** How a test card came back; parts that the card lacks are absent. */
export interface TestCardComparison {
  /** CIEDE2000 difference of each patch; empty when the card has none. */
  readonly patchDeltaE: readonly number[];
  /** Greatest of them. */
  readonly maxPatchDeltaE?: number;
  /** How the grey ramp came back. */
  readonly ramp?: RampComparison;
  /** How the checker came back. */
  readonly checker?: CheckerComparison;
  /** The number in the barcode; absent also when it cannot be read. */
  readonly frameIndex?: number;
}

/** The middle share of a patch, a column or a cell that is looked at, since codecs bleed at the edges. */
const SAMPLED_SHARE = 0.5;

/** Judges a test card that went through something. Throws `invalid_value` when the data is shorter than the size says. */
export function compareTestCard(picture: CardPicture): TestCardComparison {
  const { width, height, channels = 3 } = picture;
  const layout = testCardLayout(width, height);
  if (picture.data.length < width * height * channels) {
    throw new DreamloopError(
      ERROR_CODES.invalidValue,
      `CardPicture.data: expected ${width * height * channels} values for ${width}×${height} with ${channels} channels, found ` +
        `${picture.data.length}`,
    );
  }
  const patchDeltaE = layout.patches.map((area, index) => {
    const [red, green, blue] = meanColor(picture, middleOf(area));
    return deltaE2000(labOfRgb(red, green, blue), labOfRgb(...TEST_CARD_COLORS[index]));
  });
  const { ramp, checker, barcode } = layout;
  const frameIndex = barcode === undefined ? undefined : readBarcode(picture, barcode);
  return {
    patchDeltaE,
    ...(patchDeltaE.length === 0 ? {} : { maxPatchDeltaE: Math.max(...patchDeltaE) }),
    ...(ramp === undefined ? {} : { ramp: compareRamp(picture, ramp) }),
    ...(checker === undefined ? {} : { checker: compareChecker(picture, checker, layout.margin) }),
    ...(frameIndex === undefined ? {} : { frameIndex }),
  };
}

function middleOf(area: CardArea): CardArea {
  const insetX = Math.floor((area.width * (1 - SAMPLED_SHARE)) / 2);
  const insetY = Math.floor((area.height * (1 - SAMPLED_SHARE)) / 2);
  return {
    x: area.x + insetX,
    y: area.y + insetY,
    width: area.width - 2 * insetX,
    height: area.height - 2 * insetY,
  };
}

function meanColor({ data, width, channels = 3 }: CardPicture, area: CardArea): [number, number, number] {
  const sums: [number, number, number] = [0, 0, 0];
  for (let row = area.y; row < area.y + area.height; row += 1) {
    for (let column = area.x; column < area.x + area.width; column += 1) {
      const at = (row * width + column) * channels;
      for (let channel = 0; channel < 3; channel += 1) sums[channel] += data[at + channel];
    }
  }
  const pixels = area.width * area.height;
  return [sums[0] / pixels, sums[1] / pixels, sums[2] / pixels];
}

function meanLevel(picture: CardPicture, area: CardArea): number {
  const [red, green, blue] = meanColor(picture, area);
  return (red + green + blue) / 3;
}

function compareRamp(picture: CardPicture, ramp: CardArea): RampComparison {
  const rows = middleOf(ramp);
  let [largestFall, largestError, largestTint, highest] = [0, 0, 0, 0];
  for (let column = 0; column < ramp.width; column += 1) {
    const color = meanColor(picture, { ...rows, x: ramp.x + column, width: 1 });
    const level = (color[0] + color[1] + color[2]) / 3;
    highest = Math.max(highest, level);
    largestFall = Math.max(largestFall, highest - level);
    largestError = Math.max(largestError, Math.abs(level - rampLevel(column, ramp.width)));
    largestTint = Math.max(largestTint, Math.max(...color) - Math.min(...color));
  }
  return { largestFall, largestError, largestTint, isMonotonic: largestFall <= TEST_CARD_LIMITS.rampFall };
}

function compareChecker(picture: CardPicture, checker: CardArea, margin: number): CheckerComparison {
  const { data, width, channels = 3 } = picture;
  let isExact = true;
  const sums = [0, 0];
  const counts = [0, 0];
  for (let row = 0; row < checker.height; row += 1) {
    for (let column = 0; column < checker.width; column += 1) {
      const at = ((checker.y + row) * width + checker.x + column) * channels;
      const expected = checkerLevel(column, row);
      const which = expected === 0 ? 0 : 1;
      counts[which] += 3;
      for (let channel = 0; channel < 3; channel += 1) {
        isExact &&= data[at + channel] === expected;
        sums[which] += data[at + channel];
      }
    }
  }
  const level = (sums[0] + sums[1]) / (counts[0] + counts[1]);
  const threshold = (level + TEST_CARD_BACKGROUND) / 2;
  const middle = middleOf(checker);
  const isInColumn = (x: number): boolean => meanLevel(picture, { ...middle, x, width: 1 }) > threshold;
  const isInRow = (y: number): boolean => meanLevel(picture, { ...middle, y, height: 1 }) > threshold;
  const displacement = Math.max(
    edgeDisplacement(checker.x, checker.width, margin, isInColumn),
    edgeDisplacement(checker.y, checker.height, margin, isInRow),
  );
  return {
    isExact,
    meanLevel: level,
    contrast: sums[1] / counts[1] - sums[0] / counts[0],
    displacement,
    isAligned: displacement <= TEST_CARD_LIMITS.checkerDisplacement,
  };
}

/** How far both edges are from where they should be; looked for from the middle outwards, since neighbours may have moved in. */
function edgeDisplacement(start: number, length: number, margin: number, isInside: (line: number) => boolean): number {
  const middle = start + Math.floor(length / 2);
  let first = middle;
  while (first > start - margin && isInside(first - 1)) first -= 1;
  let end = middle;
  while (end < start + length + margin && isInside(end)) end += 1;
  return Math.max(Math.abs(first - start), Math.abs(end - (start + length)));
}

function readBarcode(picture: CardPicture, { x, y, columns, cellPixels }: BarcodeArea): number | undefined {
  const bits = Array.from({ length: BARCODE_BITS }, (_, index) => {
    const cell = {
      x: x + (1 + (index % columns)) * cellPixels,
      y: y + (1 + Math.floor(index / columns)) * cellPixels,
      width: cellPixels,
      height: cellPixels,
    };
    return meanLevel(picture, middleOf(cell)) < 128 ? 1 : 0;
  });
  return barcodeNumber(bits);
}
