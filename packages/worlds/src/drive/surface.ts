import type { Track } from "./track.ts";
import { ROAD_HALF_WIDTH_METRES, SHOULDER_OUTER_METRES } from "./dimensions.ts";

/** What a wheel stands on. */
export type SurfaceKind = "road" | "shoulder" | "grass";

/** Fields over the ground plane on a square grid: the offset from the road, the station, and baked light and shadow. */
export interface SurfaceGrid {
  /** Size of a cell, in metres. */
  readonly cellMetres: number;
  /** x of the first column, in metres. */
  readonly originX: number;
  /** y of the first row, in metres. */
  readonly originY: number;
  /** Cells per row. */
  readonly columns: number;
  /** Number of rows. */
  readonly rows: number;
  /** Signed distance to the centre line per cell, positive to the left, in metres; `FAR_FROM_ROAD` where there is no road near. */
  readonly lateral: Float32Array;
  /** Station of the nearest point of the centre line per cell, in metres. */
  readonly station: Float32Array;
  /** Light per cell: 128 neutral, down to 0 in the sun's shadow, up to 255 under a street lamp. */
  readonly shade: Uint8Array;
}

/** Value of the lateral field where the road is further away than the field reaches. */
export const FAR_FROM_ROAD = 99;

const FIELD_REACH_METRES = 15;
const MARGIN_METRES = 60;
const CELL_METRES = 0.5;

/**
 * Computes the grid of a track. Shade is neutral until scenery is stamped into it.
 *
 * @param track The road.
 * @returns The grid; it reaches 60 m beyond the road on all sides.
 */
export function createSurfaceGrid(track: Track): SurfaceGrid {
  let minX = Infinity;
  let minY = Infinity;
  let maxX = -Infinity;
  let maxY = -Infinity;
  for (let index = 0; index < track.x.length; index++) {
    minX = Math.min(minX, track.x[index]);
    maxX = Math.max(maxX, track.x[index]);
    minY = Math.min(minY, track.y[index]);
    maxY = Math.max(maxY, track.y[index]);
  }
  const originX = Math.floor(minX - MARGIN_METRES);
  const originY = Math.floor(minY - MARGIN_METRES);
  const columns = Math.ceil((maxX + MARGIN_METRES - originX) / CELL_METRES) + 1;
  const rows = Math.ceil((maxY + MARGIN_METRES - originY) / CELL_METRES) + 1;
  const grid: SurfaceGrid = {
    cellMetres: CELL_METRES,
    originX,
    originY,
    columns,
    rows,
    lateral: new Float32Array(columns * rows).fill(FAR_FROM_ROAD),
    station: new Float32Array(columns * rows),
    shade: new Uint8Array(columns * rows).fill(128),
  };
  stampRoad(grid, track);
  return grid;
}

/**
 * Offset from the centre line at a place.
 *
 * @param grid The grid.
 * @param xMetres x of the place.
 * @param yMetres y of the place.
 * @returns Metres to the left of the centre line, negative to the right, or `FAR_FROM_ROAD`.
 */
export function lateralAt(grid: SurfaceGrid, xMetres: number, yMetres: number): number {
  const index = cellIndex(grid, xMetres, yMetres);
  if (index < 0) return FAR_FROM_ROAD;
  const { columns, lateral } = grid;
  const gx = (xMetres - grid.originX) / grid.cellMetres;
  const gy = (yMetres - grid.originY) / grid.cellMetres;
  const fx = gx - Math.floor(gx);
  const fy = gy - Math.floor(gy);
  const top = lateral[index] * (1 - fx) + lateral[index + 1] * fx;
  const bottom = lateral[index + columns] * (1 - fx) + lateral[index + columns + 1] * fx;
  return top * (1 - fy) + bottom * fy;
}

/**
 * Station of the nearest point of the road at a place, to half a metre.
 *
 * @param grid The grid.
 * @param xMetres x of the place.
 * @param yMetres y of the place.
 * @returns The station in metres, or nothing where no road is within reach.
 */
export function stationAt(grid: SurfaceGrid, xMetres: number, yMetres: number): number | undefined {
  const index = cellIndex(grid, xMetres, yMetres);
  if (index < 0 || grid.lateral[index] === FAR_FROM_ROAD) return undefined;
  return grid.station[index];
}

/**
 * What lies at an offset from the centre line.
 *
 * @param lateralMetres Signed offset, in metres.
 * @returns The surface.
 */
export function surfaceKindAt(lateralMetres: number): SurfaceKind {
  const distance = Math.abs(lateralMetres);
  if (distance <= ROAD_HALF_WIDTH_METRES) return "road";
  return distance <= SHOULDER_OUTER_METRES ? "shoulder" : "grass";
}

/** A soft-edged stroke of light or shadow on the ground. */
export interface ShadeStroke {
  /** x of the first end, in metres. */
  readonly fromX: number;
  /** y of the first end, in metres. */
  readonly fromY: number;
  /** x of the second end, in metres. */
  readonly toX: number;
  /** y of the second end, in metres. */
  readonly toY: number;
  /** Half of the width, in metres. */
  readonly radiusMetres: number;
  /** Width of the soft edge, in metres. */
  readonly softMetres: number;
  /** Value in the middle: below 128 darkens, above 128 lights. */
  readonly value: number;
}

/**
 * Bakes a stroke into the shade field. Shadows keep the darkest, lights the brightest value; light wins over shadow.
 *
 * @param grid The grid whose shade is changed.
 * @param stroke The stroke.
 */
export function stampShade(grid: SurfaceGrid, stroke: ShadeStroke): void {
  const reach = stroke.radiusMetres + stroke.softMetres;
  const dx = stroke.toX - stroke.fromX;
  const dy = stroke.toY - stroke.fromY;
  const lengthSquared = dx * dx + dy * dy;
  const { columns, rows, originX, originY, cellMetres, shade } = grid;
  const firstColumn = Math.max(0, Math.ceil((Math.min(stroke.fromX, stroke.toX) - reach - originX) / cellMetres));
  const lastColumn = Math.min(
    columns - 1,
    Math.floor((Math.max(stroke.fromX, stroke.toX) + reach - originX) / cellMetres),
  );
  const firstRow = Math.max(0, Math.ceil((Math.min(stroke.fromY, stroke.toY) - reach - originY) / cellMetres));
  const lastRow = Math.min(rows - 1, Math.floor((Math.max(stroke.fromY, stroke.toY) + reach - originY) / cellMetres));
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = firstColumn; column <= lastColumn; column++) {
      const px = originX + column * cellMetres - stroke.fromX;
      const py = originY + row * cellMetres - stroke.fromY;
      const along = lengthSquared === 0 ? 0 : Math.max(0, Math.min(1, (px * dx + py * dy) / lengthSquared));
      const ox = px - along * dx;
      const oy = py - along * dy;
      const inside = (reach - Math.sqrt(ox * ox + oy * oy)) / stroke.softMetres;
      if (inside <= 0) continue;
      const strength = Math.min(1, inside);
      const value = Math.round(128 + (stroke.value - 128) * strength * strength * (3 - 2 * strength));
      const index = row * columns + column;
      const present = shade[index];
      if (value < 128 ? present <= 128 && value < present : value > present) shade[index] = value;
    }
  }
}

function cellIndex(grid: SurfaceGrid, xMetres: number, yMetres: number): number {
  const column = Math.floor((xMetres - grid.originX) / grid.cellMetres);
  const row = Math.floor((yMetres - grid.originY) / grid.cellMetres);
  if (!(column >= 0 && row >= 0 && column < grid.columns - 1 && row < grid.rows - 1)) return -1;
  return row * grid.columns + column;
}

function stampRoad(grid: SurfaceGrid, track: Track): void {
  const { columns, rows, originX, originY, cellMetres, lateral, station } = grid;
  const best = new Float32Array(lateral.length).fill(FIELD_REACH_METRES * FIELD_REACH_METRES);
  const reachCells = Math.ceil(FIELD_REACH_METRES / cellMetres);
  for (let index = 0; index < track.x.length; index += 2) {
    const centreColumn = Math.round((track.x[index] - originX) / cellMetres);
    const centreRow = Math.round((track.y[index] - originY) / cellMetres);
    const tangentX = track.tangentX[index];
    const tangentY = track.tangentY[index];
    const lastRow = Math.min(rows - 1, centreRow + reachCells);
    for (let row = Math.max(0, centreRow - reachCells); row <= lastRow; row++) {
      const py = originY + row * cellMetres - track.y[index];
      const lastColumn = Math.min(columns - 1, centreColumn + reachCells);
      for (let column = Math.max(0, centreColumn - reachCells); column <= lastColumn; column++) {
        const px = originX + column * cellMetres - track.x[index];
        const squared = px * px + py * py;
        const cell = row * columns + column;
        if (squared >= best[cell]) continue;
        best[cell] = squared;
        lateral[cell] = tangentX * py - tangentY * px;
        const along = index * track.spacingMetres + tangentX * px + tangentY * py;
        station[cell] = along < 0 ? along + track.lengthMetres : along;
      }
    }
  }
}
