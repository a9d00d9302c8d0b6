import type { ProbeLayout, Rectangle } from "../layout.ts";
import { STAGE_HEIGHT_METRES, STAGE_WIDTH_METRES } from "../motion.ts";
import { PALETTE, PROBE_PATCH_COLORS } from "./palette.ts";
import { fillRectangle, type RgbPicture } from "./raster.ts";
import { fitText, paintText, textWidth } from "./text.ts";

/** Paints everything that is the same in each frame of a run: background, labels, patches, ramp, checker, empty lamps and gauges. */
export function paintStaticParts(picture: RgbPicture, layout: ProbeLayout, caption: string): void {
  fillRectangle(picture, { x: 0, y: 0, width: layout.width, height: layout.height }, PALETTE.paper);
  paintHeader(picture, layout, caption);
  paintStage(picture, layout.stage);
  layout.patches.forEach((area, index) => fillRectangle(picture, area, PROBE_PATCH_COLORS[index]));
  if (layout.ramp !== undefined) paintRamp(picture, layout.ramp);
  if (layout.checker !== undefined) paintChecker(picture, layout.checker);
  for (const area of [...layout.lamps, ...layout.gauges]) fillRectangle(picture, area, PALETTE.recess);
  paintLabels(picture, layout);
  if (layout.strip !== undefined) fillRectangle(picture, layout.strip, PALETTE.light);
}

function paintHeader(picture: RgbPicture, layout: ProbeLayout, caption: string): void {
  const { header, textDot: dot } = layout;
  if (header === undefined) return;
  const title = "Dreamloop probe";
  paintText(picture, title, { x: header.x, y: header.y, dot, color: PALETTE.ink });
  const room = header.width - textWidth(title, dot) - 6 * dot;
  const text = fitText(caption, dot, room);
  paintText(picture, text, { x: header.x + header.width, y: header.y, dot, color: PALETTE.muted, align: "right" });
}

function paintStage(picture: RgbPicture, stage: Rectangle): void {
  fillRectangle(picture, stage, PALETTE.stage);
  const { x, y, width, height } = stage;
  // A line each metre is only readable where a metre is wide enough.
  const metre = Math.min(width / STAGE_WIDTH_METRES, height / STAGE_HEIGHT_METRES);
  if (metre < 6) return;
  for (let line = 1; line < STAGE_WIDTH_METRES; line += 1) {
    const column = x + Math.floor((line * width) / STAGE_WIDTH_METRES);
    const color = line === STAGE_WIDTH_METRES / 2 ? PALETTE.axis : PALETTE.grid;
    fillRectangle(picture, { x: column, y, width: 1, height }, color);
  }
  for (let line = 1; line < STAGE_HEIGHT_METRES; line += 1) {
    const row = y + Math.floor((line * height) / STAGE_HEIGHT_METRES);
    fillRectangle(picture, { x, y: row, width, height: 1 }, PALETTE.grid);
  }
}

function paintRamp(picture: RgbPicture, { x, y, width, height }: Rectangle): void {
  for (let column = 0; column < width; column += 1) {
    const grey = width === 1 ? 0 : Math.round((column * 255) / (width - 1));
    fillRectangle(picture, { x: x + column, y, width: 1, height }, [grey, grey, grey]);
  }
}

function paintChecker(picture: RgbPicture, { x, y, width, height }: Rectangle): void {
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const grey = ((row + column) & 1) * 255;
      const at = ((y + row) * picture.width + x + column) * 3;
      picture.data.fill(grey, at, at + 3);
    }
  }
}

function paintLabels(picture: RgbPicture, layout: ProbeLayout): void {
  const { labelDot: dot } = layout;
  if (dot === 0) return;
  const gap = Math.max(1, Math.floor(layout.margin / 2));
  const areas: readonly (readonly [string, Rectangle | undefined])[] = [
    ["Colour", layout.patches[0]],
    ["Grey", layout.ramp],
    ["Checker", layout.checker],
    ["Actions", layout.lamps[0]],
    ["Throttle, brake, steer", layout.gauges[0]],
  ];
  const room = layout.ramp?.width ?? 0;
  for (const [label, area] of areas) {
    if (area === undefined) continue;
    const y = area.y - gap - 7 * dot;
    paintText(picture, fitText(label, dot, room), { x: area.x, y, dot, color: PALETTE.muted });
  }
}
