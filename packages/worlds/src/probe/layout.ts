import { STRIP_BITS } from "./strip/strip-code.ts";

/** A rectangle of whole pixels. */
export interface Rectangle {
  /** First column. */
  readonly x: number;
  /** First row. */
  readonly y: number;
  /** Columns. */
  readonly width: number;
  /** Rows. */
  readonly height: number;
}

/** Where the strip lies: cells in reading order, each `cellPixels` square, with a light margin of one cell all round. */
export interface StripLayout extends Rectangle {
  /** Cells a row. */
  readonly columns: number;
  /** Rows of cells. */
  readonly rows: number;
  /** Pixels a side of a cell. */
  readonly cellPixels: number;
}

/** Where everything lies in a probe frame; what does not fit is absent. */
export interface ProbeLayout {
  /** Columns of the frame. */
  readonly width: number;
  /** Rows of the frame. */
  readonly height: number;
  /** Empty pixels between parts. */
  readonly margin: number;
  /** Pixels of one dot of the large letters; 0: no text. */
  readonly textDot: number;
  /** Pixels of one dot of the small letters; 0: no text. */
  readonly labelDot: number;
  /** The machine-readable strip, its margin included. */
  readonly strip?: StripLayout;
  /** The title line. */
  readonly header?: Rectangle;
  /** The line of values above the strip. */
  readonly values?: Rectangle;
  /** The field in which the object moves. */
  readonly stage: Rectangle;
  /** The eight colour patches, in the order of `PROBE_PATCH_COLORS`; empty when they do not fit. */
  readonly patches: readonly Rectangle[];
  /** The grey ramp, black on the left, white on the right. */
  readonly ramp?: Rectangle;
  /** The one-pixel checker. */
  readonly checker?: Rectangle;
  /** The lamps of the sixteen action bits, in their order; empty when they do not fit. */
  readonly lamps: readonly Rectangle[];
  /** The gauges of throttle, brake and steer, in this order; empty when they do not fit. */
  readonly gauges: readonly Rectangle[];
}

/** Smallest cell of a strip in pixels. */
export const MIN_CELL_PIXELS = 2;
/** A cell of this size survives lossy video. */
export const ROBUST_CELL_PIXELS = 4;
/** Shares of the height that a strip may take; the first that gives robust cells is taken. */
const STRIP_SHARES = [0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
/** Cells a row, in order of preference. */
const STRIP_COLUMNS = [60, 48, 40, 30, 24, 20];

function stripLayout(width: number, height: number, margin: number): StripLayout | undefined {
  const fits = STRIP_SHARES.map((share) =>
    STRIP_COLUMNS.map((columns) => {
      const across = Math.floor((width - 2 * margin) / (columns + 2));
      const down = Math.floor((height * share) / (STRIP_BITS / columns + 2));
      return { columns, cellPixels: Math.min(across, down) };
    }).reduce((best, next) => (next.cellPixels > best.cellPixels ? next : best)),
  );
  const fit = fits.find(({ cellPixels }) => cellPixels >= ROBUST_CELL_PIXELS) ?? fits[fits.length - 1];
  if (fit.cellPixels < MIN_CELL_PIXELS) return undefined;
  const rows = STRIP_BITS / fit.columns;
  const stripWidth = (fit.columns + 2) * fit.cellPixels;
  const stripHeight = (rows + 2) * fit.cellPixels;
  const x = Math.floor((width - stripWidth) / 2);
  const y = height - stripHeight - Math.min(margin, x);
  return { x, y, width: stripWidth, height: stripHeight, rows, ...fit };
}

/**
 * Where the parts of a probe frame of this size lie. The strip comes first and takes at most half of the height; then the stage;
 * text needs 320×180, the instruments beside the stage need 24×24 pixels of their own. Nothing is ever cut in half.
 */
export function probeLayout(width: number, height: number): ProbeLayout {
  const margin = Math.max(1, Math.floor(Math.min(width, height) / 40));
  const textDot = Math.floor(Math.min(width / 320, height / 180));
  const labelDot = textDot === 0 ? 0 : Math.max(1, Math.floor(textDot * 0.6));
  const strip = stripLayout(width, height, margin);
  const left = Math.min(strip?.x ?? margin, 3 * margin);
  const inner = width - 2 * left;
  let top = margin;
  let bottom = strip === undefined ? height - margin : strip.y - margin;

  const lineHeight = 7 * textDot;
  let header: Rectangle | undefined;
  let values: Rectangle | undefined;
  if (textDot > 0) {
    header = { x: left, y: top, width: inner, height: lineHeight };
    top += lineHeight + margin;
    values = { x: left, y: bottom - lineHeight, width: inner, height: lineHeight };
    bottom -= lineHeight + margin;
  }

  const bodyHeight = bottom - top;
  const columnWidth = Math.floor(inner * 0.3);
  const hasColumn = columnWidth >= 24 && bodyHeight >= 24;
  const stageWidth = hasColumn ? inner - columnWidth - margin : inner;
  const base = { width, height, margin, textDot, labelDot };
  if (stageWidth < 1 || bodyHeight < 1) {
    // Too small for anything: the whole frame is the stage.
    return { ...base, stage: { x: 0, y: 0, width, height }, patches: [], lamps: [], gauges: [] };
  }
  return {
    ...base,
    ...(strip === undefined ? {} : { strip }),
    ...(header === undefined ? {} : { header }),
    ...(values === undefined ? {} : { values }),
    stage: { x: left, y: top, width: stageWidth, height: bodyHeight },
    ...instruments(
      hasColumn ? { x: left + stageWidth + margin, y: top, width: columnWidth, height: bodyHeight } : undefined,
      base,
    ),
  };
}

function instruments(
  column: Rectangle | undefined,
  { margin, labelDot }: { readonly margin: number; readonly labelDot: number },
): Pick<ProbeLayout, "patches" | "ramp" | "checker" | "lamps" | "gauges"> {
  if (column === undefined) return { patches: [], lamps: [], gauges: [] };
  const gap = Math.max(1, Math.floor(margin / 2));
  const label = labelDot === 0 ? 0 : 7 * labelDot + gap;
  const isFull = labelDot > 0;
  // Shares of the height: patches, ramp, checker, and with room for labels lamps and gauges.
  const shares = isFull ? [0.34, 0.12, 0.12, 0.2, 0.22] : [0.5, 0.25, 0.25];
  const free = column.height - shares.length * label - (shares.length - 1) * gap;
  let y = column.y;
  const bands = shares.map((share, index) => {
    const isLast = index === shares.length - 1;
    const height = isLast ? column.y + column.height - y - label : Math.floor(free * share);
    const band = { x: column.x, y: y + label, width: column.width, height };
    y += label + height + gap;
    return band;
  });
  const [patchBand, ramp, checker, lampBand, gaugeBand] = bands as [
    Rectangle,
    Rectangle,
    Rectangle,
    Rectangle?,
    Rectangle?,
  ];
  return {
    patches: cells(patchBand, 4, 2, gap),
    ramp,
    checker,
    lamps: lampBand === undefined ? [] : cells(lampBand, 8, 2, gap),
    gauges: gaugeBand === undefined ? [] : cells(gaugeBand, 1, 3, gap),
  };
}

/** Equal cells in reading order; what is left over on the right and below stays empty. */
function cells(area: Rectangle, columns: number, rows: number, gap: number): readonly Rectangle[] {
  const width = Math.floor((area.width - (columns - 1) * gap) / columns);
  const height = Math.floor((area.height - (rows - 1) * gap) / rows);
  if (width < 1 || height < 1) return [];
  return Array.from({ length: columns * rows }, (_, index) => ({
    x: area.x + (index % columns) * (width + gap),
    y: area.y + Math.floor(index / columns) * (height + gap),
    width,
    height,
  }));
}
