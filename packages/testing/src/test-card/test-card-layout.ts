import { finite } from "@dreamloop/core/internal";

/** A rectangle of whole pixels. */
export interface CardArea {
  /** First column. */
  readonly x: number;
  /** First row. */
  readonly y: number;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** The barcode: cells in reading order, each `cellPixels` square, in a white area with a margin of one cell. */
export interface BarcodeArea extends CardArea {
  /** Cells a row. */
  readonly columns: number;
  /** Pixels a side of a cell. */
  readonly cellPixels: number;
}

/** Where the parts of a test card lie; what does not fit is absent. */
export interface TestCardLayout {
  /** Empty pixels between parts and around them. */
  readonly margin: number;
  /** The eight patches, in the order of `TEST_CARD_COLORS`; empty when they do not fit. */
  readonly patches: readonly CardArea[];
  /** The grey ramp, black on the left, white on the right. */
  readonly ramp?: CardArea;
  /** The one-pixel checker; its first pixel is black. */
  readonly checker?: CardArea;
  /** The number of the frame. */
  readonly barcode?: BarcodeArea;
}

/** Cells of the barcode: 24 bits of the frame's number and 8 of a check. */
export const BARCODE_BITS = 32;

/** Shares of the height for patches, ramp, checker and barcode. */
const SHARES = [0.4, 0.18, 0.18, 0.24] as const;
const MIN_PATCH_PIXELS = 4;
const MIN_RAMP_COLUMNS = 16;
const MIN_CHECKER_PIXELS = 6;
const MIN_CELL_PIXELS = 2;

const side = finite({ integer: true, min: 1, max: 16_384 });

/** Where the parts of a test card of this size lie: four bands, of which a small card lacks some. */
export function testCardLayout(width: number, height: number): TestCardLayout {
  side(width, "testCardLayout(width)");
  side(height, "testCardLayout(height)");
  const margin = Math.max(2, Math.floor(Math.min(width, height) / 32));
  const free = height - 5 * margin;
  let y = margin;
  const [patchBand, ramp, checker, codeBand] = SHARES.map((share) => {
    const band = { x: margin, y, width: width - 2 * margin, height: Math.floor(free * share) };
    y += band.height + margin;
    return band;
  });
  const patches = patchAreas(patchBand, margin);
  const barcode = barcodeArea(codeBand);
  const isCheckerLarge = checker.width >= MIN_CHECKER_PIXELS && checker.height >= MIN_CHECKER_PIXELS;
  return {
    margin,
    patches,
    ...(ramp.width >= MIN_RAMP_COLUMNS && ramp.height >= 2 ? { ramp } : {}),
    ...(isCheckerLarge ? { checker } : {}),
    ...(barcode === undefined ? {} : { barcode }),
  };
}

function patchAreas(band: CardArea, gap: number): readonly CardArea[] {
  const width = Math.floor((band.width - 3 * gap) / 4);
  const height = Math.floor((band.height - gap) / 2);
  if (width < MIN_PATCH_PIXELS || height < MIN_PATCH_PIXELS) return [];
  return Array.from({ length: 8 }, (_, index) => ({
    x: band.x + (index % 4) * (width + gap),
    y: band.y + Math.floor(index / 4) * (height + gap),
    width,
    height,
  }));
}

function barcodeArea(band: CardArea): BarcodeArea | undefined {
  const fits = [32, 16, 8].map((columns) => {
    const rows = BARCODE_BITS / columns;
    const cellPixels = Math.min(Math.floor(band.width / (columns + 2)), Math.floor(band.height / (rows + 2)));
    return { columns, rows, cellPixels };
  });
  const best = fits.reduce((largest, next) => (next.cellPixels > largest.cellPixels ? next : largest));
  const { columns, rows, cellPixels } = best;
  if (cellPixels < MIN_CELL_PIXELS) return undefined;
  return {
    x: band.x,
    y: band.y,
    width: (columns + 2) * cellPixels,
    height: (rows + 2) * cellPixels,
    columns,
    cellPixels,
  };
}
