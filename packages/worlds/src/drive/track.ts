import { exactCos, exactSin } from "@dreamloop/core";
import { driveRandom } from "./random.ts";

/** A closed road: its centre line as points at equal distances, walked in the direction of growing station. */
export interface Track {
  /** Seed from which the track was made. */
  readonly seed: number;
  /** Length of the centre line, in metres. */
  readonly lengthMetres: number;
  /** Distance between neighbouring points, in metres; a little off 0.5 so that the loop closes. */
  readonly spacingMetres: number;
  /** x of each point, in metres. */
  readonly x: Float64Array;
  /** y of each point, in metres. */
  readonly y: Float64Array;
  /** x of the unit tangent at each point. */
  readonly tangentX: Float64Array;
  /** y of the unit tangent at each point. */
  readonly tangentY: Float64Array;
  /** Signed curvature at each point, in 1/metres; positive bends to the left. */
  readonly curvature: Float64Array;
}

/** A place on the road with its direction. */
export interface TrackPoint {
  /** x, in metres. */
  xMetres: number;
  /** y, in metres. */
  yMetres: number;
  /** x of the unit tangent. */
  tangentX: number;
  /** y of the unit tangent. */
  tangentY: number;
  /** Signed curvature, in 1/metres. */
  curvature: number;
}

/** Tightest bend a track may have, as a radius in metres. */
export const MINIMUM_RADIUS_METRES = 17;

const OUTLINE_POINTS = 4096;
const TWO_PI = 6.283185307179586;

interface Harmonic {
  readonly order: number;
  readonly amplitude: number;
  readonly phase: number;
}

/**
 * Makes a closed road from a seed: a circle whose radius is modulated by a few harmonics, resampled at equal distances.
 * Where a bend would be tighter than `MINIMUM_RADIUS_METRES`, the modulation is reduced until it is not.
 *
 * @param seed Seed of the track.
 * @returns The track; the same seed gives the same bits everywhere.
 */
export function createTrack(seed: number): Track {
  const random = driveRandom(seed, "track");
  const radius = 72 + 50 * random.nextUniform();
  const mirrored = random.nextUniform() < 0.5;
  const harmonics: Harmonic[] = [];
  for (let order = 2; order <= 6; order++) {
    const share = order <= 3 ? 0.24 : 0.36 / order;
    harmonics.push({ order, amplitude: share * random.nextUniform(), phase: TWO_PI * random.nextUniform() });
  }
  for (let scale = 1; ; scale *= 0.88) {
    const outline = traceOutline(radius, harmonics, scale, mirrored);
    const track = resample(seed, outline.x, outline.y);
    let sharpest = 0;
    for (const value of track.curvature) sharpest = Math.max(sharpest, Math.abs(value));
    if (sharpest <= 1 / MINIMUM_RADIUS_METRES) return track;
  }
}

/**
 * The place at a station, with linear interpolation between points.
 *
 * @param track The road.
 * @param stationMetres Distance along the centre line; any number, the road is a loop.
 * @param lateralMetres Offset to the left of the centre line, in metres.
 * @returns A new point.
 */
export function trackPointAt(track: Track, stationMetres: number, lateralMetres = 0): TrackPoint {
  const count = track.x.length;
  const position = wrapStation(track, stationMetres) / track.spacingMetres;
  const first = Math.floor(position) % count;
  const second = (first + 1) % count;
  const weight = position - Math.floor(position);
  const mix = (values: Float64Array): number => values[first] + (values[second] - values[first]) * weight;
  let tangentX = mix(track.tangentX);
  let tangentY = mix(track.tangentY);
  const norm = Math.sqrt(tangentX * tangentX + tangentY * tangentY);
  tangentX /= norm;
  tangentY /= norm;
  return {
    xMetres: mix(track.x) - tangentY * lateralMetres,
    yMetres: mix(track.y) + tangentX * lateralMetres,
    tangentX,
    tangentY,
    curvature: mix(track.curvature),
  };
}

/**
 * Brings a station into [0, length).
 *
 * @param track The road.
 * @param stationMetres Any distance along the road.
 * @returns The same place within one lap.
 */
export function wrapStation(track: Track, stationMetres: number): number {
  const wrapped = stationMetres - Math.floor(stationMetres / track.lengthMetres) * track.lengthMetres;
  return wrapped >= track.lengthMetres ? 0 : wrapped;
}

function traceOutline(
  radius: number,
  harmonics: readonly Harmonic[],
  scale: number,
  mirrored: boolean,
): { x: Float64Array; y: Float64Array } {
  const x = new Float64Array(OUTLINE_POINTS);
  const y = new Float64Array(OUTLINE_POINTS);
  for (let index = 0; index < OUTLINE_POINTS; index++) {
    const angle = (TWO_PI * index) / OUTLINE_POINTS;
    let factor = 1;
    for (const { order, amplitude, phase } of harmonics) factor += scale * amplitude * exactCos(order * angle + phase);
    x[index] = radius * factor * exactCos(angle);
    y[index] = radius * factor * exactSin(angle) * (mirrored ? -1 : 1);
  }
  return { x, y };
}

function resample(seed: number, outlineX: Float64Array, outlineY: Float64Array): Track {
  const outlineCount = outlineX.length;
  const travelled = new Float64Array(outlineCount + 1);
  for (let index = 0; index < outlineCount; index++) {
    const next = (index + 1) % outlineCount;
    const dx = outlineX[next] - outlineX[index];
    const dy = outlineY[next] - outlineY[index];
    travelled[index + 1] = travelled[index] + Math.sqrt(dx * dx + dy * dy);
  }
  const lengthMetres = travelled[outlineCount];
  const count = Math.round(lengthMetres / 0.5);
  const spacingMetres = lengthMetres / count;
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  let segment = 0;
  for (let index = 0; index < count; index++) {
    const target = index * spacingMetres;
    while (travelled[segment + 1] < target) segment++;
    const weight = (target - travelled[segment]) / (travelled[segment + 1] - travelled[segment]);
    const next = (segment + 1) % outlineCount;
    x[index] = outlineX[segment] + (outlineX[next] - outlineX[segment]) * weight;
    y[index] = outlineY[segment] + (outlineY[next] - outlineY[segment]) * weight;
  }
  return withDirections({ seed, lengthMetres, spacingMetres, x, y });
}

function withDirections(line: Pick<Track, "seed" | "lengthMetres" | "spacingMetres" | "x" | "y">): Track {
  const { x, y, spacingMetres } = line;
  const count = x.length;
  const tangentX = new Float64Array(count);
  const tangentY = new Float64Array(count);
  const curvature = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const before = (index + count - 2) % count;
    const after = (index + 2) % count;
    const dx = x[after] - x[before];
    const dy = y[after] - y[before];
    const norm = Math.sqrt(dx * dx + dy * dy);
    tangentX[index] = dx / norm;
    tangentY[index] = dy / norm;
  }
  for (let index = 0; index < count; index++) {
    const before = (index + count - 3) % count;
    const after = (index + 3) % count;
    const cross = tangentX[before] * tangentY[after] - tangentY[before] * tangentX[after];
    curvature[index] = cross / (6 * spacingMetres);
  }
  return { ...line, tangentX, tangentY, curvature };
}
